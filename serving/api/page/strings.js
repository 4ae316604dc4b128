// Every text of the page. Both languages have the same keys; a test compares them.

import { en } from "./strings.en.js";
import { ko } from "./strings.ko.js";

export const STRINGS = { en, ko };
