import { i18n } from '@lingui/core'
import { useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { rank } from '../../parts/matching/rank.ts'
import { DestinationIcon } from './DestinationIcon.tsx'
import type { Destination } from './useDestinations.ts'

interface Props {
  label: string
  placeholder: string
  /** Label of the list. */
  list: string
  items: readonly Destination[]
  /** Id of the chosen one. */
  value: string | null
  onChange: (id: string) => void
}

/** The number of destinations that are listed; typing narrows them down. */
const MAX_LISTED = 50

/** A field that finds conversations and people by name, and the list to choose one from. */
export function ConversationPicker({ label, placeholder, list, items, value, onChange }: Props) {
  const [filter, setFilter] = useState('')
  const listed = rank(items, filter).slice(0, MAX_LISTED)
  return (
    <>
      <TextField
        name="filter"
        type="search"
        label={label}
        placeholder={placeholder}
        value={filter}
        onChange={setFilter}
      />
      <div className={cx(layout.list, layout.short)} role="radiogroup" aria-label={list}>
        {listed.map((item) => (
          <label key={item.id} className={layout.row}>
            <input type="radio" name="to" checked={value === item.id} onChange={() => onChange(item.id)} />
            <DestinationIcon destination={item} />
            <bdi className={layout.name}>{item.name}</bdi>
          </label>
        ))}
      </div>
      {listed.length === 0 ? <p className="muted">{i18n._('Nothing found.')}</p> : null}
    </>
  )
}
