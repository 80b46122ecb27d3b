import { i18n } from '@lingui/core'
import { expect, test } from 'vitest'
import { formatTimeField } from './localTime.ts'
import { loadTimePhraseParser } from './loadTimePhraseParser.ts'

/** A Tuesday. */
const NOW = new Date(2026, 10, 24, 15, 0)

type Case = [text: string, at: string | null, rest?: string, repeats?: string]

const CASES: Record<'en' | 'de', Case[]> = {
  en: [
    ['next Monday at nine', '2026-11-30T09:00', ''],
    ['next Monday at nine call Ann', '2026-11-30T09:00', 'call Ann'],
    ['me to water the plants tomorrow', '2026-11-25T09:00', 'water the plants'],
    ['Water the plants in 20 minutes', '2026-11-24T15:20', 'Water the plants'],
    ['in an hour', '2026-11-24T16:00', ''],
    ['Call Ann on Friday at 14:30', '2026-11-27T14:30', 'Call Ann'],
    ['at half past eight: tea', '2026-11-25T08:30', 'tea'],
    ['tonight', '2026-11-24T18:00', ''],
    ['tomorrow afternoon', '2026-11-25T15:00', ''],
    ['Next week, send the report', '2026-11-30T09:00', 'send the report'],
    ['in two days', '2026-11-26T09:00', ''],
    ['on 3 March at noon', '2027-03-03T12:00', ''],
    ['every weekday at 8 stand-up', '2026-11-25T08:00', 'stand-up', 'weekdays'],
    ['every Friday at 16:00 check the fridge', '2026-11-27T16:00', 'check the fridge', 'weekly'],
    ['take pills every day', '2026-11-25T09:00', 'take pills', 'daily'],
    ['Buy 3 apples', null],
    ['room 4', null],
    ['', null],
  ],
  de: [
    ['nächsten Montag um neun', '2026-11-30T09:00', ''],
    ['nächsten Montag um neun Ann anrufen', '2026-11-30T09:00', 'Ann anrufen'],
    ['morgen um 9 Blumen gießen', '2026-11-25T09:00', 'Blumen gießen'],
    ['morgen früh', '2026-11-25T09:00', ''],
    ['um halb zehn Tee', '2026-11-25T09:30', 'Tee'],
    ['Blumen gießen in 20 Minuten', '2026-11-24T15:20', 'Blumen gießen'],
    ['in einer Stunde', '2026-11-24T16:00', ''],
    ['am 25.12. um 8 Uhr Geschenke', '2026-12-25T08:00', 'Geschenke'],
    ['heute Abend', '2026-11-24T18:00', ''],
    ['nächste Woche Bericht senden', '2026-11-30T09:00', 'Bericht senden'],
    ['übermorgen', '2026-11-26T09:00', ''],
    ['jeden Montag um 9 Besprechung', '2026-11-30T09:00', 'Besprechung', 'weekly'],
    ['werktags um 8 Tafel wischen', '2026-11-25T08:00', 'Tafel wischen', 'weekdays'],
    ['täglich um 20 Uhr Tabletten', '2026-11-24T20:00', 'Tabletten', 'daily'],
    ['3 Äpfel kaufen', null],
  ],
}

const all = Object.entries(CASES).flatMap(([language, cases]) =>
  cases.map(([text, at, rest = '', repeats = null]) => ({ language, text, at, rest, repeats })),
)

test.each(all)('recognizes the time in $language: “$text”', async ({ language, text, at, rest, repeats }) => {
  i18n.loadAndActivate({ locale: language, messages: {} })
  const parse = await loadTimePhraseParser()
  const found = parse(text, NOW)
  const shown = found && { at: formatTimeField(found.at), rest: found.rest, repeats: found.repeats }
  expect(shown).toEqual(at === null ? null : { at, rest, repeats })
})

test('an unclear day is the last one for a jump into the past', async () => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const parse = await loadTimePhraseParser()
  const dayOf = (text: string) => {
    const found = parse(text, NOW, 'past')
    return found && formatTimeField(found.at).slice(0, 10)
  }
  const pastDays = ['Monday', 'Sunday', 'December 24', '3 weeks ago', 'yesterday'].map(dayOf)
  for (const day of pastDays) expect(Date.parse(day ?? '')).toBeLessThan(NOW.getTime())
  expect(new Date(pastDays[0] ?? '').getUTCDay()).toBe(1)
  expect(dayOf('a long time')).toBeNull()
})
