import { i18n } from '@lingui/core'
import { Chip } from '../../../ui/Chip.tsx'
import { withFilter, withoutPart } from './completeQuery.ts'
import styles from './FilterChips.module.css'
import { operatorName, valuesOf, type Operator } from './operators.ts'
import type { WrittenFilter } from './parseQuery.ts'

interface Props {
  text: string
  written: readonly WrittenFilter[]
  /** `isComplete`: whether the filter has its value; otherwise it is chosen next. */
  onChange: (text: string, isComplete: boolean) => void
}

/** The filters of a search, each with a button that removes it, and those that can be added. */
export function FilterChips({ text, written, onChange }: Props) {
  const set = written.filter(({ value }) => value)
  const add = (operator: Operator) => {
    const [only, ...others] = valuesOf(operator) ?? []
    const value = only !== undefined && others.length === 0 ? `${only} ` : ''
    onChange(withFilter(text, `${operatorName(operator)}:${value}`), value !== '')
  }
  return (
    <div className={styles.chips} role="group" aria-label={i18n._('Filters')}>
      {set.map((filter) => {
        const label = `${filter.isExcluded ? '-' : ''}${operatorName(filter.operator)}: ${filter.value}`
        return (
          <Chip
            key={filter.start}
            removeLabel={i18n._('Remove filter {filter}', { filter: label })}
            onClick={() => onChange(withoutPart(text, filter), true)}
          >
            {label}
          </Chip>
        )
      })}
      {filterNames()
        .filter(([operator]) => !set.some((filter) => filter.operator === operator && !filter.isExcluded))
        .map(([operator, name]) => (
          <Chip key={operator} onClick={() => add(operator)}>
            {name}
          </Chip>
        ))}
    </div>
  )
}

function filterNames(): [Operator, string][] {
  return [
    ['from', i18n._('From')],
    ['in', i18n._('In')],
    ['during', i18n._('Date')],
    ['has', i18n._('Contains')],
    ['is', i18n._('Thread, pinned, saved')],
    ['mentions', i18n._('Mentions me')],
    ['with', i18n._('With')],
  ]
}
