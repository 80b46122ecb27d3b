import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { SidebarItem } from '../../../data/channels/channels.ts'
import { cx } from '../../../ui/cx.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { titleOf } from '../../parts/channels/titleOf.ts'

interface Props {
  label: string
  placeholder: string
  /** Label of the list. */
  list: string
  items: readonly SidebarItem[]
  /** Id of the chosen one. */
  value: string | null
  onChange: (id: string) => void
}

/** Conversations that are listed; typing narrows them down. */
const MAX_LISTED = 50

/** A field that filters conversations by name, and the list to choose one from, without archived ones. */
export function ConversationPicker({ label, placeholder, list, items, value, onChange }: Props) {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLocaleLowerCase()
  const listed = items
    .filter(({ name, archived }) => !archived && name.toLocaleLowerCase().includes(wanted))
    .slice(0, MAX_LISTED)
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
            <span dir="auto">{titleOf(item)}</span>
          </label>
        ))}
        {listed.length === 0 ? <p className="muted">{i18n._('Nothing found.')}</p> : null}
      </div>
    </>
  )
}
