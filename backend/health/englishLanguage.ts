import type { CheckLanguage } from '../../wire/findingTexts.ts'
import { commandLine, type Place } from '../runtime/commandName.ts'

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** "84 kB", as in the application. */
function formatBytes(bytes: number): string {
  let unit = 0
  let rest = bytes
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000
    unit++
  }
  return new Intl.NumberFormat('en', {
    style: 'unit',
    unit: units[unit]!,
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: rest < 10 && unit > 0 ? 1 : 0,
  }).format(rest)
}

/** "2026-11-30 01:50 UTC"; the text itself if it is no time. */
function formatTime(time: string): string {
  const parsed = new Date(time)
  return Number.isNaN(parsed.getTime()) ? time : `${parsed.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** The language of commands and of the administration page. Commands in it act on the same installation. */
export const englishLanguage = (place: Place): CheckLanguage => ({
  i18n: {
    _: (text, values = {}) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
  },
  bytes: formatBytes,
  time: formatTime,
  count: (count) => new Intl.NumberFormat('en').format(count),
  command: (words) => commandLine(words, place),
})
