import type { Chrono } from 'chrono-node'
import type { InLanguages } from '../../../../wire/languages.ts'
import type { ReminderRepeat } from '../../../../wire/messages.ts'
import { inLanguage } from '../../../ui/inLanguage.ts'
import { atHour, MORNING, nextWeekday } from './localTime.ts'

/** A time that somebody has written, such as "next Monday at nine". */
export interface TimePhrase {
  at: Date
  repeats: ReminderRepeat | null
  /** The text without it. */
  rest: string
}

/** `direction`: whether an unclear day, such as "Monday", is the next one or the last one. */
export type TimePhraseParser = (text: string, now?: Date, direction?: 'future' | 'past') => TimePhrase | null

/** What recognises times in one language, and words that it does not know. */
interface Wording {
  /** 13 to 15 KB. */
  load: () => Promise<{ casual: Chrono }>
  /** From one to twelve. */
  numbers: readonly string[]
  /** Words of a number of hours. */
  at: string
  /** Half past an hour, with the word of the hour: in German half an hour before it. */
  half: { words: RegExp; minutes: number }
  repeats: readonly [RegExp, ReminderRepeat][]
  /** Hours of parts of a day. */
  parts: readonly [RegExp, number][]
  nextWeek: RegExp
  /** Between the command and what it reminds of. */
  filler: RegExp
}

const WORDINGS: InLanguages<Wording> = {
  en: {
    load: () => import('chrono-node/en'),
    numbers: 'one two three four five six seven eight nine ten eleven twelve'.split(' '),
    at: 'at',
    half: { words: /\bhalf past (\w+)/giu, minutes: 30 },
    repeats: [
      [/\b(?:every weekday|on weekdays|weekdays)\b/iu, 'weekdays'],
      [/\b(?:every day|daily)\b/iu, 'daily'],
      [/\b(?:every month|monthly)\b/iu, 'monthly'],
      [/\b(?:every week|weekly|every(?= (?:mon|tues|wednes|thurs|fri|satur|sun)day\b))/iu, 'weekly'],
    ],
    parts: [
      [/\bafternoon\b/iu, 15],
      [/\b(?:evening|tonight|night)\b/iu, 18],
    ],
    nextWeek: /\bnext week\b/iu,
    filler: /^(?:me\s+)?(?:to\s+|that\s+)?/iu,
  },
  de: {
    load: () => import('chrono-node/de'),
    numbers: 'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' '),
    at: 'um',
    half: { words: /(?<!\p{L})halb (\p{L}+)/giu, minutes: -30 },
    repeats: [
      [/(?<!\p{L})(?:werktags|jeden werktag|an werktagen)(?!\p{L})/iu, 'weekdays'],
      [/(?<!\p{L})(?:jeden tag|täglich)(?!\p{L})/iu, 'daily'],
      [/(?<!\p{L})(?:jeden monat|monatlich)(?!\p{L})/iu, 'monthly'],
      [
        /(?<!\p{L})(?:jede woche|wöchentlich|jeden(?= (?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)))/iu,
        'weekly',
      ],
    ],
    parts: [
      [/nachmittag/iu, 15],
      [/abend|nacht/iu, 18],
    ],
    nextWeek: /(?<!\p{L})nächste woche(?!\p{L})/iu,
    filler: /^(?:mich\s+)?(?:daran,?\s+)?/iu,
  },
}

/** Loads what recognises times in the language of the interface. */
export async function loadTimePhraseParser(): Promise<TimePhraseParser> {
  const wording = inLanguage(WORDINGS)
  return createParser((await wording.load()).casual, wording)
}

function createParser(chrono: Chrono, wording: Wording): TimePhraseParser {
  return (text, now = new Date(), direction = 'future') => {
    // Replacements keep the length, so that positions are those of the text.
    let known = withKnownWords(text, wording)
    const ranges: [from: number, to: number][] = []
    const repeat = wording.repeats.find(([pattern]) => pattern.test(known))
    if (repeat) {
      const [word] = repeat[0].exec(known) ?? ['']
      const from = known.search(repeat[0])
      ranges.push([from, from + word.length])
      known = replaceAt(known, from, word.length, '')
    }
    const repeats = repeat?.[1] ?? null
    const [result] = chrono.parse(known, now, { forwardDate: direction === 'future' })
    if (!result && !repeats) return null
    let at = atHour(1, MORNING, now)
    if (result) {
      const { index, start } = result
      // The word before a day belongs to it.
      const before = /(?:^|\s)(?:on|am|at|um)\s+$/iu.exec(known.slice(0, index))?.[0].trimStart().length ?? 0
      // What was replaced by a shorter word ends with spaces.
      const end = index + result.text.length
      ranges.push([index - before, end + (/^ */u.exec(known.slice(end))?.[0].length ?? 0)])
      at = start.date()
      if (wording.nextWeek.test(result.text)) at = nextWeekday(1, now)
      else if (!start.isCertain('hour') && !/\b(?:minute|hour|stunde)/iu.test(result.text)) {
        const [, hour] = wording.parts.find(([pattern]) => pattern.test(result.text)) ?? ['', MORNING]
        at.setHours(hour, 0, 0, 0)
      }
    }
    if (direction === 'past' && at > now) {
      if (result?.start.isCertain('month')) at.setFullYear(at.getFullYear() - 1)
      else at.setDate(at.getDate() - 7)
    }
    at.setSeconds(0, 0)
    if (at <= now && repeats) at.setDate(at.getDate() + 1)
    if (repeats === 'weekdays') while (at.getDay() % 6 === 0) at.setDate(at.getDate() + 1)
    return { at, repeats, rest: restOf(text, ranges).replace(wording.filler, '') }
  }
}

/** Hours in words as digits, and "25.12." as "25/12 ". */
function withKnownWords(text: string, { numbers, at, half }: Wording): string {
  const digitsOf = (word: string) => numbers.indexOf(word.toLowerCase()) + 1
  return text
    .replace(half.words, (all, word: string) => {
      const hour = digitsOf(word)
      if (hour === 0) return all
      const minutes = hour * 60 + half.minutes
      return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`.padEnd(all.length)
    })
    .replace(new RegExp(`(?<!\\p{L})${at} (\\p{L}+)`, 'giu'), (all, word: string) => {
      const hour = digitsOf(word)
      return hour === 0 ? all : `${all.slice(0, at.length)} ${hour}`.padEnd(all.length)
    })
    .replace(/(?<!\d)(\d{1,2})\.(\d{1,2})\.(?!\d)/gu, '$1/$2 ')
    .replace(/(?<=(?:heute|morgen|tag|mittwoch) )früh(?!\p{L})/giu, '9:00')
}

function replaceAt(text: string, from: number, length: number, by: string): string {
  return text.slice(0, from) + by.padEnd(length) + text.slice(from + length)
}

/** The text without these ranges, and without what joined it to them. */
function restOf(text: string, ranges: readonly [number, number][]): string {
  const letters = text.split('')
  for (const [from, to] of ranges) letters.fill(' ', from, to)
  return letters
    .join('')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[\s,.:;–-]+|[\s,:;–-]+$/gu, '')
}
