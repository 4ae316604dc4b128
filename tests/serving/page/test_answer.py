import re

from playwright.async_api import Page, expect

from graph.errors import ModelUnavailable
from serving.store.tenants import Allowance
from tests.fakes import KO_PASSAGES, FixedRetriever
from tests.serving.api.conftest import EN_LINE, EN_QUESTION, KO_LINE, KO_QUESTION, Served
from tests.serving.page.conftest import IN_ONE_LOOP, PageAgents, ask

pytestmark = IN_ONE_LOOP


async def test_a_question_is_answered_with_sources_support_and_a_bill(
    tab: Page, served: Served
) -> None:
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("✓ Answered")
    await expect(tab.locator(".answer")).to_have_text(
        re.compile(r"A response cache keeps whole answers for 60 seconds\. \[2\] support \d\.\d\d")
    )
    await expect(tab.locator(".sources")).to_have_text("caching.pdf, page 2")
    await expect(tab.locator(".figures")).to_contain_text("Model calls1")
    await expect(tab.locator("#outcome-title")).to_be_focused()


async def test_a_korean_question_is_answered_in_korean_text(tab: Page, agents: PageAgents) -> None:
    agents.model.say("answer", KO_LINE)
    agents.retriever = FixedRetriever(KO_PASSAGES)
    await ask(tab, KO_QUESTION)
    answer = tab.locator(".answer")
    await expect(answer).to_contain_text("응답 캐시는 답변 전체를 60초 동안 보관한다. [2]")
    await expect(answer).to_have_attribute("lang", "ko")
    await expect(answer.locator(".support")).to_have_attribute("lang", "en")


async def test_a_refusal_says_why_and_names_near_documents_and_no_source(
    tab: Page, agents: PageAgents
) -> None:
    agents.retriever = FixedRetriever(score=0.1)
    await ask(tab, "Who won the race on Sunday?")
    await expect(tab.locator("#task-status")).to_have_text("⊘ Refused")
    refusal = tab.locator("#outcome")
    await expect(refusal).to_contain_text("The question is not about these documents.")
    await expect(refusal).to_contain_text("Caching (caching.pdf)")
    await expect(tab.locator(".citation, .sources")).to_have_count(0)
    await expect(tab.locator(".figures")).to_contain_text("Model calls0")


async def test_a_degraded_answer_says_what_it_did_without(tab: Page, agents: PageAgents) -> None:
    agents.model.say("answer", ModelUnavailable("the model server does not answer"))
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("! Answered, with less than usual")
    degraded = tab.locator(".box.warn")
    await expect(degraded).to_contain_text("This answer had to do without something")
    await expect(degraded).to_contain_text("the model server does not answer")
    await expect(tab.locator(".answer")).to_contain_text("quoted")


async def test_what_the_documents_do_not_bear_is_told_apart_from_the_answer(
    tab: Page, agents: PageAgents
) -> None:
    agents.model.say("answer", f"{EN_LINE} A prefix cache saves 999 prompt tokens. [1]")
    agents.model.say("revise", "")
    await ask(tab, EN_QUESTION)
    withheld = tab.locator("#outcome details")
    await expect(withheld.locator("summary")).to_contain_text("the documents do not bear it: 1")
    await expect(withheld.locator("del")).to_be_hidden()
    await withheld.locator("summary").click()
    await expect(withheld.locator("del")).to_have_text("A prefix cache saves 999 prompt tokens.")
    await expect(tab.locator(".answer")).not_to_contain_text("999")


async def test_a_task_that_failed_shows_its_problem(tab: Page, agents: PageAgents) -> None:
    agents.without_documents.add("acme")
    await ask(tab, EN_QUESTION)
    await expect(tab.locator("#task-status")).to_have_text("✖ Failed")
    problem = tab.locator("#outcome .box.bad")
    await expect(problem).to_contain_text("This does not go with the present state.")
    await expect(problem).to_contain_text("there are no documents with text to answer from")


async def test_a_quota_that_is_used_up_says_when_to_come_again(tab: Page, served: Served) -> None:
    await served.tenants.allow("acme", Allowance(tokens_per_day=10))
    await ask(tab, EN_QUESTION)
    problem = tab.get_by_role("alert")
    await expect(problem).to_contain_text("A limit is reached.")
    await expect(problem).to_contain_text(re.compile(r"Try again in \d+ (hour|minute|second)s?\."))
    await expect(tab.get_by_label("Your question")).to_have_value(EN_QUESTION)
    await expect(tab.get_by_role("button", name="Ask", exact=True)).to_be_enabled()


async def test_a_server_that_shuts_down_says_to_ask_again(tab: Page, served: Served) -> None:
    await served.service.runner.drain(0)
    await ask(tab, EN_QUESTION)
    problem = tab.get_by_role("alert")
    await expect(problem).to_contain_text("Not possible at the moment.")
    await expect(problem).to_contain_text("Try again in 5 seconds.")
