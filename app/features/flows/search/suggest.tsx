import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import CalendarDays from 'lucide-react/icons/calendar-days'
import Hash from 'lucide-react/icons/hash'
import ListFilter from 'lucide-react/icons/list-filter'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import { isChannel } from '../../../../wire/channels.ts'
import type { InLanguages } from '../../../../wire/languages.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { inLanguage } from '../../../ui/inLanguage.ts'
import type { Choice } from '../../conversation/writing/completion/Choice.ts'
import { foldText, matchNames } from '../../parts/matching/matchNames.ts'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { quoted, type Completion } from './completeQuery.ts'
import { isExcludable, OPERATORS, operatorName, ownName, valuesOf, type Operator } from './operators.ts'
import { parsePeriod } from './parsePeriod.ts'
import type { NamedConversation, QueryContext } from './parseQuery.ts'
import { filterOf } from './searchPathOf.ts'

const MAX_CHOICES = 8
const PERIODS: InLanguages<readonly string[]> = {
  en: [
    'today',
    'yesterday',
    'this week',
    'last week',
    'this month',
    'last month',
    'last 30 days',
    'this year',
  ],
  de: [
    'heute',
    'gestern',
    'diese Woche',
    'letzte Woche',
    'dieser Monat',
    'letzter Monat',
    'letzte 30 Tage',
    'dieses Jahr',
  ],
}

/** Suggestions for what is typed of a search. */
export function suggest(completion: Completion, context: QueryContext): Choice[] {
  const { operator, query, isExcluded } = completion
  if (operator === null) return operatorChoices(query, isExcluded)
  if (isExcluded && !isExcludable(operator)) return []
  switch (operator) {
    case 'from':
    case 'with':
      return personChoices(operator, query, context)
    case 'in':
      return matchNames(context.conversations, query, MAX_CHOICES).map(conversationChoice)
    case 'before':
    case 'after':
    case 'on':
    case 'during':
      return periodChoices(operator, query, context)
    default:
      return (valuesOf(operator) ?? [])
        .filter((value) => foldText(value).startsWith(foldText(query)))
        .filter((value) => !isExcluded || isExcludable(operator, value))
        .map((value) => choiceOf(operator, value, <Icon of={ListFilter} />))
  }
}

/** What an operator does, in a few words. */
export function operatorHint(operator: Operator): string {
  switch (operator) {
    case 'from':
      return i18n._('Who wrote it')
    case 'in':
      return i18n._('Channel or conversation')
    case 'with':
      return i18n._('Direct conversations with someone')
    case 'before':
      return i18n._('Before a date')
    case 'after':
      return i18n._('After a date')
    case 'on':
      return i18n._('On a day')
    case 'during':
      return i18n._('In a week, month or year')
    case 'has':
      return i18n._('A file, link, image, reaction, code or poll')
    case 'is':
      return i18n._('In a thread, pinned or saved')
    case 'mentions':
      return i18n._('Messages that mention you')
  }
}

function operatorChoices(query: string, isExcluded: boolean): Choice[] {
  const typed = foldText(query)
  return OPERATORS.filter(
    (operator) =>
      foldText(operatorName(operator)).startsWith(typed) && (!isExcluded || isExcludable(operator)),
  ).map((operator) => {
    const name = `${operatorName(operator)}:`
    return {
      key: operator,
      icon: <Icon of={ListFilter} />,
      label: name,
      hint: operatorHint(operator),
      insert: name,
    }
  })
}

function personChoices(operator: Operator, query: string, { me, people }: QueryContext): Choice[] {
  // The reader comes first.
  const sorted = [...people.filter(({ id }) => id === me), ...people.filter(({ id }) => id !== me)]
  return matchNames(sorted, query, MAX_CHOICES).map(({ id, name }) => {
    const value = id !== me ? name : ownName()
    const hint = id === me ? i18n._('You') : ''
    return choiceOf(operator, value, <Avatar id={id} name={name} size={24} />, { key: id, label: name, hint })
  })
}

function conversationChoice(conversation: NamedConversation): Choice {
  const { id, name, kind } = conversation
  const icon = !isChannel(conversation) ? AtSign : kind === 'private' ? Lock : Hash
  return { key: id, icon: <Icon of={icon} />, label: name, hint: '', insert: filterOf(conversation) }
}

function periodChoices(operator: Operator, query: string, context: QueryContext): Choice[] {
  const typed = foldText(query)
  return inLanguage(PERIODS)
    .filter((name) => foldText(name).startsWith(typed))
    .map((name) => choiceOf(operator, name, <Icon of={CalendarDays} />, { hint: periodHint(name, context) }))
}

/** The days of a period. */
function periodHint(name: string, context: QueryContext): string {
  const period = parsePeriod(name, { ...context, now: new Date() })
  if (!period) return ''
  const last = new Date(period.end)
  last.setDate(last.getDate() - 1)
  return new Intl.DateTimeFormat(i18n.locales ?? i18n.locale, { dateStyle: 'medium' }).formatRange(
    period.start,
    last,
  )
}

function choiceOf(
  operator: Operator,
  value: string,
  icon: ReactNode,
  { key = value, label = value, hint = '' }: Partial<Pick<Choice, 'key' | 'label' | 'hint'>> = {},
): Choice {
  return { key, icon, label, hint, insert: `${operatorName(operator)}:${quoted(value)}` }
}
