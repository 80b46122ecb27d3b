import { i18n } from '@lingui/core'

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** "84 kB", in the reader's locale. */
export function formatBytes(bytes: number): string {
  let at = 0
  let rest = bytes
  while (rest >= 1000 && at < UNITS.length - 1) {
    rest /= 1000
    at++
  }
  return new Intl.NumberFormat(i18n.locales ?? i18n.locale, {
    style: 'unit',
    unit: UNITS[at] ?? 'byte',
    // The short form of bytes is unclear: "538B".
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: rest < 10 && at > 0 ? 1 : 0,
  }).format(rest)
}
