/** What is wrong with the value of a setting. The server describes the same in an English sentence. */
export type SettingProblem =
  | { kind: 'size' | 'number' | 'time' | 'url' | 'email' | 'text' | 'variable' | 'secretAgain' | 'smtp' }
  | { kind: 'noMailServer' | 'noAddress' | 'paused' | 'noMethod' | 'codesNeeded' }
  | { kind: 'range'; min: number; max: number }
  | { kind: 'fixed'; place: string }
  | { kind: 'missing'; key: string }

const problems: [RegExp, (...found: string[]) => SettingProblem][] = [
  [/ must be a size such as /, () => ({ kind: 'size' })],
  [
    / must be a whole number from (\d+) to (\d+)/,
    (min, max) => ({ kind: 'range', min: Number(min), max: Number(max) }),
  ],
  [/ must be a number/, () => ({ kind: 'number' })],
  [/ must be a time of day /, () => ({ kind: 'time' })],
  [/ must be an address such as "[^"@]+@/, () => ({ kind: 'email' })],
  [/ must be (?:an address|a URL) such as /, () => ({ kind: 'url' })],
  [/ must be a (?:text|string)/, () => ({ kind: 'text' })],
  [/ can refer to an environment variable only in /, () => ({ kind: 'variable' })],
  [/ is needed again, because /, () => ({ kind: 'secretAgain' })],
  [/^auth\.email\.smtp needs host and admin_email/, () => ({ kind: 'smtp' })],
  [
    /^(auth\.external\.\w+) (?:is enabled and )?needs (client_id|secret|url)\b/,
    (table, name) => ({
      kind: 'missing',
      key: `${table}.${name}`,
    }),
  ],
  [/^auth\.email\.codes and auth\.email\.passwords are both false/, () => ({ kind: 'noMethod' })],
  [/^auth\.email\.secure_password_change needs /, () => ({ kind: 'codesNeeded' })],
  [/^Enter the mail server first\.$/, () => ({ kind: 'noMailServer' })],
  [/^Your account has no email address\.$/, () => ({ kind: 'noAddress' })],
  [/^This restored server sends nothing until /, () => ({ kind: 'paused' })],
  [/ is set in (.+)\. Change it there\.$/, (place) => ({ kind: 'fixed', place: place! })],
]

/**
 * Recognizes the sentence with which the server refuses a value on the page "Server", so that the page can state it in the
 * language of its reader. Null for a sentence that has no translation.
 */
export function findSettingProblem(sentence: string): SettingProblem | null {
  for (const [pattern, create] of problems) {
    const found = pattern.exec(sentence)
    if (found) return create(...found.slice(1))
  }
  return null
}
