"""Units of measure, English and Korean: which dimension they measure, and their exact factor.

Symbols are told apart by case (3 Gb is not 3 GB, 5 mW is not 5 MW), words are not.
"""

from decimal import Decimal

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_POWERS_OF_TEN = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}

# dimension -> {forms: factor}
_SYMBOLS: dict[str, dict[str, str]] = {
    "second": {
        "ns": "1e-9", "µs μs us": "1e-6", "ms": "1e-3", "s": "1", "h": str(_HOUR),
    },
    "percent": {"% ％": "1", "‰": "0.1"},
    "percentage point": {"%p %P": "1"},
    "metre": {
        "nm": "1e-9", "µm μm": "1e-6", "mm ㎜": "1e-3", "cm ㎝": "0.01", "m": "1", "km ㎞": "1e3",
        "ft": "0.3048", "mi": "1609.344",
    },
    "square metre": {"m² ㎡ m2": "1", "km² ㎢ km2": "1e6", "ha": "1e4"},
    "cubic metre": {
        "m³ m3": "1", "cm³": "1e-6", "L l ℓ": "1e-3", "mL ml ㎖": "1e-6", "kL": "1",
    },
    "gram": {"µg μg": "1e-6", "mg ㎎": "1e-3", "g": "1", "kg ㎏": "1e3", "t": "1e6"},
    "degree": {"°C ℃": "1"},
    "fahrenheit": {"°F ℉": "1"},
    "kelvin": {"K": "1"},
    "degree of angle": {"°": "1"},
    "watt hour": {"Wh": "1", "kWh": "1e3", "MWh": "1e6", "GWh": "1e9"},
    "watt": {"mW": "1e-3", "W": "1", "kW": "1e3", "MW": "1e6", "GW": "1e9"},
    "volt": {"mV": "1e-3", "V": "1", "kV": "1e3"},
    "joule": {"J": "1", "kJ": "1e3", "MJ": "1e6"},
    "calorie": {"cal": "1", "kcal": "1e3"},
    "hertz": {"Hz": "1", "kHz KHz": "1e3", "MHz": "1e6", "GHz": "1e9"},
    "pascal": {"Pa": "1", "hPa": "100", "kPa": "1e3", "MPa": "1e6"},
    "decibel": {"dB": "1"},
    "part per million": {"ppm": "1", "ppb": "1e-3"},
    "flops": {"GFLOPS GFLOPs": "1e9", "TFLOPS TFLOPs": "1e12", "PFLOPS PFLOPs": "1e15"},
    "mile per hour": {"mph": "1"},
    "fold": {"x ×": "1"},
    "dollar": {"$ USD": "1"},
    "won": {"₩ KRW": "1"},
    "euro": {"€ EUR": "1"},
    "pound": {"£ GBP lb lbs": "1"},
    "yen": {"¥ JPY": "1"},
}  # fmt: skip
_WORDS: dict[str, dict[str, str]] = {
    "second": {
        "nanosecond 나노초": "1e-9", "microsecond 마이크로초": "1e-6",
        "millisecond msec 밀리초": "1e-3", "second sec secs 초": "1",
        "minute min mins 분": str(_MINUTE), "hour hr hrs 시간": str(_HOUR),
        "day 일": str(_DAY), "week 주 주일": str(7 * _DAY),
    },
    "clock": {"시": "1", "o'clock o’clock": "1"},
    "month": {"month 개월 달": "1"},
    "calendar month": {"월": "1"},
    "year": {"year 년 해": "1", "decade": "10"},
    "century": {"세기": "1"},
    "percent": {"percent 퍼센트 프로": "1", "per-mille 퍼밀": "0.1"},
    "percentage point": {"percentage-point 퍼센트포인트 %포인트": "1"},
    "metre": {
        "millimetre millimeter 밀리미터": "1e-3", "centimetre centimeter 센티미터 센티": "0.01",
        "metre meter 미터": "1", "kilometre kilometer 킬로미터": "1e3",
        "inch inches 인치": "0.0254",
        "foot feet 피트": "0.3048", "yard 야드": "0.9144", "mile 마일": "1609.344",
    },
    "square metre": {
        "square-metre square-meter 제곱미터": "1",
        "square-kilometre square-kilometer 제곱킬로미터": "1e6",
        "square-mile": "2589988.110336", "hectare 헥타르": "1e4", "acre 에이커": "4046.8564224",
        "square-foot square-feet": "0.09290304",
    },
    "pyeong": {"평": "1"},
    "cubic metre": {
        "cubic-metre cubic-meter 세제곱미터": "1", "cubic-foot cubic-feet": "0.028316846592",
        "litre liter 리터": "1e-3", "millilitre milliliter 밀리리터": "1e-6",
    },
    "gallon": {"gallon 갤런": "1"},
    "gram": {
        "milligram 밀리그램": "1e-3", "gram 그램": "1", "kilogram kilo 킬로그램": "1e3",
        "ton tonne 톤": "1e6",
    },
    "ounce": {"ounce 온스": "1"},
    "degree": {"degree 도": "1", "degree-celsius degrees-celsius": "1"},
    "fahrenheit": {"degree-fahrenheit degrees-fahrenheit": "1"},
    "bit": {"bit 비트": "1"},
    "byte": {
        "byte 바이트": "1", "킬로바이트": "1e3", "메가바이트": "1e6", "기가바이트": "1e9",
        "테라바이트": "1e12",
    },
    "token": {"token 토큰": "1"},
    "dollar": {"dollar 달러": "1", "cent 센트": "0.01"},
    "won": {"won 원": "1"},
    "euro": {"euro 유로": "1"},
    "pound": {"pound 파운드": "1"},
    "yen": {"yen 엔": "1"},
    "fold": {"fold times 배": "1"},
    "occasion": {"번 회 차례": "1"},
    "watt": {"watt 와트": "1", "kilowatt 킬로와트": "1e3", "megawatt": "1e6"},
    "watt hour": {"kilowatt-hour 킬로와트시": "1e3"},
    "hertz": {"hertz 헤르츠": "1"},
    "calorie": {"칼로리": "1", "킬로칼로리": "1e3"},
}  # fmt: skip

Unit = tuple[str, Decimal]


def _read(table: dict[str, dict[str, str]]) -> dict[str, Unit]:
    return {
        form: (dimension, Decimal(factor))
        for dimension, factors in table.items()
        for forms, factor in factors.items()
        for form in forms.split()
    }


def _data_units() -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for prefix, power in _POWERS_OF_TEN.items():
        if prefix:
            units[f"{prefix}B"] = units[f"{prefix.lower()}b"] = ("byte", Decimal(10**power))
            units[f"{prefix.upper()}B"] = ("byte", Decimal(10**power))
            units[f"{prefix.upper()}iB"] = ("byte", Decimal(2 ** (power * 10 // 3)))
        for form in (f"{prefix}bps", f"{prefix}bit/s"):
            units[form] = ("bit per second", Decimal(10**power))
        if prefix in ("M", "G", "T"):
            units[f"{prefix}b"] = units[f"{prefix}bit"] = ("bit", Decimal(10**power))
    return units


SYMBOLS = _read(_SYMBOLS) | _data_units()
WORDS = {form.replace("-", " "): unit for form, unit in _read(_WORDS).items()}
WORDS |= {
    f"{form}s": unit
    for form, unit in WORDS.items()
    if form[-1].isascii() and form[-1].isalpha() and form[-1] != "s"
}


def unit_of(form: str) -> Unit:
    """Dimension and factor of a unit as it stands in a text. Raises KeyError for no unit."""
    return SYMBOLS[form] if form in SYMBOLS else WORDS[" ".join(form.lower().split())]
