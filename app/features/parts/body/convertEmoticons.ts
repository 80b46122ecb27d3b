import { nodesOf } from '../../../../wire/body/nodesOf.ts'
import { parseBody } from '../../../../wire/body/parseBody.ts'
import type { SourceRange } from '../../../../wire/body/tree.ts'
import { readPreference } from '../../../devicePreferences.ts'

const EMOJI: Record<string, string | undefined> = {
  ':)': '🙂',
  ':-)': '🙂',
  ';)': '😉',
  ';-)': '😉',
  ':D': '😄',
  ':-D': '😄',
  ':P': '😛',
  ':-P': '😛',
  ':p': '😛',
  ':-p': '😛',
  ':(': '🙁',
  ':-(': '🙁',
  ":'(": '😢',
  ':/': '😕',
  ':-/': '😕',
  ':O': '😮',
  ':o': '😮',
  '<3': '❤️',
  '</3': '💔',
}

/** An emoticon alone: neither `10:00)` nor `foo:)`. A mark, such as the end of bold text, can be beside it. */
const ALONE = new RegExp(
  String.raw`(?<![^\s*_~|])(?:${Object.keys(EMOJI)
    .map((emoticon) => emoticon.replaceAll(/[()]/g, String.raw`\$&`))
    .join('|')})(?![^\s*_~|])`,
  'gu',
)

/** A typed text as it is sent: with emoji in place of emoticons if the writer has chosen so on this device. */
export function withChosenEmoji(text: string): string {
  return readPreference('convertsEmoticons') ? convertEmoticons(text) : text
}

/** A typed text with emoji in place of emoticons. Code, formulas and links stay as they were typed. */
export function convertEmoticons(text: string): string {
  const found = [...text.matchAll(ALONE)]
  if (found.length === 0) return text
  const texts = textsOf(text)
  let converted = ''
  let copied = 0
  let at = 0
  for (const { 0: emoticon, index } of found) {
    const end = index + emoticon.length
    while (at < texts.length && texts[at]!.end < end) at += 1
    if (index < (texts[at]?.start ?? text.length)) continue
    converted += text.slice(copied, index) + EMOJI[emoticon]
    copied = end
  }
  return converted + text.slice(copied)
}

/** The ranges of text that is neither code nor a formula nor in a link. In the order of the source; adjacent ones are one range. */
function textsOf(source: string): SourceRange[] {
  const isEntered = ({ type }: { type: string }) => !['link', 'code', 'codeBlock'].includes(type)
  const ranges: SourceRange[] = []
  for (const node of nodesOf(parseBody(source), isEntered)) {
    if (node.type !== 'text') continue
    const last = ranges.at(-1)
    if (last?.end === node.start) last.end = node.end
    else ranges.push({ start: node.start, end: node.end })
  }
  return ranges
}
