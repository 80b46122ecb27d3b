import { i18n } from '@lingui/core'
import { isExcludable, operatorName, OPERATORS, valuesOf } from './operators.ts'
import type { WrittenFilter } from './parseQuery.ts'

/** Why a filter is not applied, and what to do; null if it is. */
export function problemSentence({ operator, value, problem }: WrittenFilter): string | null {
  const name = operatorName(operator)
  switch (problem) {
    case null:
      return null
    case 'nobody':
      return i18n._('Nobody is called “{value}”. Choose a name from the list.', { value })
    case 'no_conversation':
      return i18n._('No conversation is called “{value}”. Choose a name from the list.', { value })
    case 'too_many':
      return i18n._('Several names match “{value}”. Choose one from the list.', { value })
    case 'bad_date':
      return i18n._('“{value}” isn’t a date. Try “yesterday”, “last week”, “2026-03” or “2026-03-09”.', {
        value,
      })
    case 'bad_value': {
      const values = (valuesOf(operator) ?? []).join(', ')
      return i18n._('“{name}:” doesn’t work with “{value}”. Choose from: {values}.', { name, value, values })
    }
    case 'excluded_filter':
      return i18n._('“{filter}” is ignored. You can exclude words, {names}.', {
        // The word joiner prevents a line break after the minus sign.
        filter: `-\u2060${name}:${value}`,
        names: new Intl.ListFormat(i18n.locale).format(excludableNames()),
      })
  }
}

/** What can be excluded; of `is:` some values only. */
function excludableNames(): string[] {
  return OPERATORS.filter((operator) => isExcludable(operator)).flatMap((operator) => {
    const name = `${operatorName(operator)}:`
    if (operator !== 'is') return name
    const values = valuesOf(operator) ?? []
    return values.filter((value) => isExcludable(operator, value)).map((value) => name + value)
  })
}
