import { isInFence } from '../textEdits.ts'

/** What is being typed at the caret: a person, a channel, an emoji or a command. */
export interface Trigger {
  kind: 'person' | 'channel' | 'emoji' | 'command'
  /** Index of its sign. */
  from: number
  /** What was typed after the sign. */
  query: string
}

/** Letters of words in scripts with spaces: a sign after one belongs to the word, as in an email address. */
const WORD_LETTER = String.raw`(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{M}\p{N}_])`
/** Up to two words, of which the first may be empty. */
const WORDS = '([^\\s@＠#＃`]{0,40}(?: [^\\s@＠#＃`]{0,40})?)$'
const PERSON = new RegExp(`(?<!${WORD_LETTER}|[@＠/.])[@＠]${WORDS}`, 'u')
const CHANNEL = new RegExp(`(?<!${WORD_LETTER}|[#＃/?&=.])[#＃](?! )${WORDS}`, 'u')
/** Two letters at least: ":)", "10:30" and "::" are none. */
const EMOJI = /(?<![\p{L}\p{N}_:/])[:：]([\p{L}+-][\p{L}\p{N}_+-]{1,40})$/u
const COMMAND = /^\/([a-z][\w-]{0,31})?$/i

/** The longest text before the caret that can be completed. */
const MAX_TYPED = 90

/** Null if nothing is to be completed at the caret, or it is in a code block. `commands`: whether "/" starts one. */
export function completionAt(text: string, caret: number, commands: boolean): Trigger | null {
  const typed = text.slice(Math.max(0, caret - MAX_TYPED), caret)
  const trigger =
    (commands && caret < MAX_TYPED ? match('command', COMMAND, typed, caret) : null) ??
    match('person', PERSON, typed, caret) ??
    match('channel', CHANNEL, typed, caret) ??
    match('emoji', EMOJI, typed, caret)
  return trigger && !isInFence(text, trigger.from) ? trigger : null
}

function match(kind: Trigger['kind'], pattern: RegExp, typed: string, caret: number): Trigger | null {
  const found = pattern.exec(typed)
  if (!found) return null
  const query = found[1] ?? ''
  return { kind, from: caret - query.length - 1, query }
}

/** The name between colons that ends at the caret, and the index of its first colon; null if there is none. */
export function shortcodeAt(text: string, caret: number): { from: number; name: string } | null {
  const typed = text.slice(Math.max(0, caret - MAX_TYPED), caret)
  const name = /(?<![\p{L}\p{N}_:/]):([\p{L}+-][\p{L}\p{N}_+-]{1,40}):$/u.exec(typed)?.[1]
  if (name === undefined || isInFence(text, caret)) return null
  return { from: caret - name.length - 2, name }
}
