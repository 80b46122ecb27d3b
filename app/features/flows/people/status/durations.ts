import { i18n } from '@lingui/core'

/** How long a status or presence lasts. `day`: until midnight; `morning`: until 9 tomorrow. */
export type Span = 'half' | 'hour' | 'four' | 'day' | 'morning' | 'week' | 'open'

const MINUTE = 60_000

/** The time (ISO 8601) at which a duration that starts now ends, in the local time zone; null: never. */
export function endOf(span: Span, now = new Date()): string | null {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour).toISOString()
  switch (span) {
    case 'half':
      return new Date(now.getTime() + 30 * MINUTE).toISOString()
    case 'hour':
      return new Date(now.getTime() + 60 * MINUTE).toISOString()
    case 'four':
      return new Date(now.getTime() + 240 * MINUTE).toISOString()
    case 'day':
      return at(1, 0)
    case 'morning':
      return at(1, 9)
    case 'week':
      // The week ends on Sunday.
      return at(8 - (now.getDay() || 7), 0)
    case 'open':
      return null
  }
}

/** Durations of a status, shortest first. */
export function statusSpans(): { value: Span; label: string }[] {
  return [
    { value: 'half', label: i18n._('30 minutes') },
    { value: 'hour', label: i18n._('1 hour') },
    { value: 'four', label: i18n._('4 hours') },
    { value: 'day', label: i18n._('Today') },
    { value: 'week', label: i18n._('This week') },
    { value: 'open', label: i18n._('Until I change it') },
  ]
}

/** Suggested statuses, each with its usual duration. */
export function statusSuggestions(): { emoji: string; text: string; span: Span }[] {
  return [
    { emoji: '🗓️', text: i18n._('In a meeting'), span: 'hour' },
    { emoji: '🎧', text: i18n._('Focusing'), span: 'four' },
    { emoji: '🍲', text: i18n._('At lunch'), span: 'half' },
    { emoji: '🚆', text: i18n._('Commuting'), span: 'half' },
    { emoji: '🏡', text: i18n._('Working from home'), span: 'day' },
    { emoji: '🤒', text: i18n._('Out sick'), span: 'day' },
    { emoji: '🌴', text: i18n._('On vacation'), span: 'week' },
  ]
}
