import { z } from 'zod';
import { textOfIssue } from '../../messages/issue.js';
import type { Language } from '../../messages/language.js';
import { render } from '../../messages/render.js';

const { fa, ru, zhCN: zh, ar } = z.locales;
const zodTexts = { fa, ru, zh, ar };

/** Why `schema` rejected `value`, in the language of the caller; zod's own messages too. */
export function issuesOf(
  schema: z.ZodType,
  value: unknown,
  error: z.ZodError,
  language: Language,
): readonly z.core.$ZodIssue[] {
  const issues =
    language === 'en'
      ? error.issues
      : (schema.safeParse(value, { error: zodTexts[language]().localeError }).error?.issues ?? error.issues);
  return issues.map((issue) => ({ ...issue, message: render(textOfIssue(issue.message), language) }));
}
