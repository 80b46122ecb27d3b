import { i18n } from '@lingui/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Profile } from '../../../../wire/people.ts'
import { useMember, usePresence, useStatus } from '../../../data/people/people.ts'
import { Avatar } from './avatar/Avatar.tsx'
import { Chip } from '../../../ui/Chip.tsx'
import { cx } from '../../../ui/cx.ts'
import { PresenceDot } from '../../../ui/PresenceDot.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { GrowingList } from '../../../ui/GrowingList.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { isComposing } from '../../../ui/isComposing.ts'
import { TOUCH } from '../../../ui/useMedia.ts'
import { rank } from '../matching/rank.ts'
import styles from './PeoplePicker.module.css'
import { presenceLabel } from './presenceLabel.ts'
import { roleLabel } from './roleLabel.ts'
import { statusText } from './StatusEmoji.tsx'

interface Props {
  people: Profile[]
  chosen: string[]
  /** Maximum number of people. */
  max: number
  /** The hint when the maximum is reached. */
  fullHint?: string
  /** Whether Enter selects the first match and submits the form at once; a comma then only selects it. */
  submitsOnEnter?: boolean
  onChange: (chosen: string[]) => void
}

/** A list of people with checkboxes and a filter; selected people stay visible above it. */
export function PeoplePicker({ people, chosen, max, fullHint, submitsOnEnter = false, onChange }: Props) {
  const [query, setQuery] = useState('')
  const field = useRef<HTMLInputElement>(null)
  // Bots are in channels only, and are added to these in the settings.
  const found = rank(
    people.filter(({ kind }) => kind !== 'bot'),
    query,
  )
  const isFull = chosen.length >= max
  const toggle = (id: string) => {
    if (chosen.includes(id)) onChange(chosen.filter((one) => one !== id))
    else if (!isFull) onChange([...chosen, id])
  }
  return (
    <>
      <TextField
        ref={field}
        label={i18n._('Search people')}
        hideLabel
        type="search"
        placeholder={i18n._('Search people')}
        hint={isFull && fullHint ? fullHint : limitHint(chosen.length, max, submitsOnEnter)}
        value={query}
        onChange={setQuery}
        onKeyDown={(event) => {
          const best = found[0]
          if (event.key === 'Backspace' && query === '') return onChange(chosen.slice(0, -1))
          // Enter selects the first match; with an empty query it submits the form.
          const isComma = event.key === ',' && submitsOnEnter
          if (!isComma && event.key !== 'Enter') return
          if (isComposing(event.nativeEvent) || query.trim() === '') return
          const submits = submitsOnEnter && !isComma && best && !chosen.includes(best.id) && !isFull
          if (!submits) event.preventDefault()
          if (!best) return
          // After this event the browser submits the form, but only with an enabled button. A selected person enables it.
          flushSync(() => {
            toggle(best.id)
            setQuery('')
          })
        }}
      />
      {chosen.length > 0 ? (
        <ul className={styles.chosen} aria-label={i18n._('Selected')}>
          {chosen.map((id) => (
            <li key={id}>
              <ChosenPerson
                id={id}
                onRemove={() => {
                  toggle(id)
                  // The button disappears with its person: the focus must not be lost.
                  field.current?.focus({ preventScroll: true })
                }}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <GrowingList
        label={i18n._('People')}
        className={cx(layout.list, styles.list)}
        items={found}
        selection={query}
        render={(person) => (
          <li key={person.id}>
            <PersonOption
              person={person}
              checked={chosen.includes(person.id)}
              isFull={isFull}
              onToggle={() => {
                toggle(person.id)
                if (query === '' || chosen.includes(person.id)) return
                // The next person is searched for.
                setQuery('')
                field.current?.focus()
              }}
            />
          </li>
        )}
      />
      {found.length === 0 ? <p className="muted">{i18n._('No people found.')}</p> : null}
    </>
  )
}

/** States a small limit beforehand; large ones need no hint. */
function limitHint(chosen: number, max: number, submitsOnEnter: boolean): string | undefined {
  if (chosen >= max) return i18n._('That’s the maximum for one conversation.')
  if (max > 50) return undefined
  if (chosen === 0 && submitsOnEnter && !matchMedia(TOUCH).matches)
    return i18n._('Press Enter to start the conversation, or a comma to select more people, up to {most}.', {
      most: max,
    })
  if (chosen === 0) return i18n._('Up to {most, plural, one {# person} other {# people}}.', { most: max })
  return i18n._('{chosen} of {most} selected.', { chosen, most: max })
}

function ChosenPerson({ id, onRemove }: { id: string; onRemove: () => void }) {
  const name = useMember(id)?.profile.name ?? ''
  return (
    <Chip
      picture={<Avatar id={id} name={name} size={20} />}
      removeLabel={i18n._('Remove {name}', { name })}
      onClick={onRemove}
    >
      {name}
    </Chip>
  )
}

interface PersonOptionProps {
  person: Profile
  checked: boolean
  isFull: boolean
  onToggle: () => void
}

function PersonOption({ person, checked, isFull, onToggle }: PersonOptionProps) {
  const member = useMember(person.id)
  const presence = usePresence(person.id)
  const status = useStatus(person.id)
  return (
    <label className={layout.row}>
      <input type="checkbox" data-entry checked={checked} disabled={isFull && !checked} onChange={onToggle} />
      <Avatar id={person.id} name={person.name} size={24} />
      <bdi className={styles.name}>{person.name}</bdi>
      {status ? <bdi className={styles.status}>{statusText(status)}</bdi> : null}
      {member?.role === 'guest' ? <span className={layout.aside}>{roleLabel(member)}</span> : null}
      <PresenceDot state={presence} label={presenceLabel(presence)} />
    </label>
  )
}
