import { MENTION_IN_CODE } from './mentionsOf.ts'

/** Whether a text has a mention without a backslash. */
export function hasMention(text: string): boolean {
  return (
    text.includes('<') &&
    [...text.matchAll(MENTION_IN_CODE)].some(([, slashes = '']) => slashes.length % 2 === 0)
  )
}

/** A text that has escaped mentions only, without their backslashes. */
export function withoutEscapedMentions(text: string): string {
  return text.includes('<')
    ? text.replaceAll(
        MENTION_IN_CODE,
        (_found, slashes: string, token: string) => '\\'.repeat(slashes.length >> 1) + token,
      )
    : text
}

/** A text with a backslash before each mention, so that it is text, also in code and formulas. */
export function escapeMentions(text: string): string {
  return text.includes('<')
    ? text.replaceAll(
        MENTION_IN_CODE,
        (_found, slashes: string, token: string) => `${slashes}${slashes}\\${token}`,
      )
    : text
}
