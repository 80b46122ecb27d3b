import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Profile } from '../../../wire/linnet.ts'
import { Face } from '../../ui/Face.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { rank } from '../palette/rank.ts'

interface Props {
  people: Profile[]
  chosen: string[]
  /** How many may be chosen. */
  most: number
  onChange: (chosen: string[]) => void
}

/** People to tick, with a field that narrows them down. */
export function PeoplePicker({ people, chosen, most, onChange }: Props) {
  const [query, setQuery] = useState('')
  const found = rank(people, query)
  const full = chosen.length >= most
  const toggle = (id: string) => {
    if (chosen.includes(id)) onChange(chosen.filter((one) => one !== id))
    else if (!full) onChange([...chosen, id])
  }
  return (
    <>
      <TextField
        label={i18n._('Search people')}
        hideLabel
        type="search"
        placeholder={i18n._('Search people')}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          const best = found[0]
          // Enter ticks who was looked for; with nothing looked for it goes on.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || query.trim() === '') return
          event.preventDefault()
          if (!best) return
          toggle(best.id)
          setQuery('')
        }}
      />
      <ul className={sheet.list} aria-label={i18n._('People')}>
        {found.map((person) => {
          const isChosen = chosen.includes(person.id)
          return (
            <li key={person.id}>
              <label className={sheet.row}>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={full && !isChosen}
                  onChange={() => toggle(person.id)}
                />
                <Face id={person.id} name={person.name} size={24} />
                <bdi className={sheet.name}>{person.name}</bdi>
              </label>
            </li>
          )
        })}
      </ul>
      {found.length === 0 ? <p className={sheet.soft}>{i18n._('Nobody here is called that.')}</p> : null}
      {full ? (
        <p className={sheet.small} role="status">
          {i18n._('That is as many as one conversation takes.')}
        </p>
      ) : null}
    </>
  )
}
