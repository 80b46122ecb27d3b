import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { useRef, useState } from 'react'
import type { Profile } from '../../../wire/linnet.ts'
import { useMember, usePresence, useStatus } from '../../data/people/people.ts'
import { Avatar } from './avatar/Avatar.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { rank } from '../palette/rank.ts'
import styles from './PeoplePicker.module.css'
import { presenceWord } from './presenceWord.ts'
import { roleWord } from './roleWord.ts'
import { statusLine } from './StatusMark.tsx'

interface Props {
  people: Profile[]
  chosen: string[]
  /** How many may be chosen. */
  most: number
  onChange: (chosen: string[]) => void
}

/** People to tick, with a field that narrows them down; who is chosen stays in sight above the list. */
export function PeoplePicker({ people, chosen, most, onChange }: Props) {
  const [query, setQuery] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const found = rank(people, query)
  const full = chosen.length >= most
  const toggle = (id: string) => {
    if (chosen.includes(id)) onChange(chosen.filter((one) => one !== id))
    else if (!full) onChange([...chosen, id])
  }
  return (
    <>
      <TextField
        ref={field}
        label={i18n._('Search people')}
        hideLabel
        type="search"
        placeholder={i18n._('Search people')}
        hint={limitOf(chosen.length, most)}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          const best = found[0]
          if (event.key === 'Backspace' && query === '') return onChange(chosen.slice(0, -1))
          // Enter ticks who was looked for; with nothing looked for it goes on.
          if (event.key !== 'Enter' || event.nativeEvent.isComposing || query.trim() === '') return
          event.preventDefault()
          if (!best) return
          toggle(best.id)
          setQuery('')
        }}
      />
      {chosen.length > 0 ? (
        <ul className={styles.chosen} aria-label={i18n._('Selected')}>
          {chosen.map((id) => (
            <li key={id}>
              <Chosen
                id={id}
                onRemove={() => {
                  toggle(id)
                  // The button goes with its person: the focus must not.
                  field.current?.focus({ preventScroll: true })
                }}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <ul className={sheet.list} aria-label={i18n._('People')}>
        {found.map((person) => (
          <li key={person.id}>
            <Choice
              person={person}
              checked={chosen.includes(person.id)}
              full={full}
              onToggle={() => toggle(person.id)}
            />
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className={sheet.soft}>{i18n._('No people found.')}</p> : null}
    </>
  )
}

/** Says how many fit before it is refused; large numbers need no word. */
function limitOf(chosen: number, most: number): string | undefined {
  if (chosen >= most) return i18n._('That’s the maximum for one conversation.')
  if (most > 50) return undefined
  if (chosen === 0) return i18n._('Up to {most, plural, one {# person} other {# people}}.', { most })
  return i18n._('{chosen} of {most} selected.', { chosen, most })
}

function Chosen({ id, onRemove }: { id: string; onRemove: () => void }) {
  const name = useMember(id)?.profile.name ?? ''
  return (
    <button
      type="button"
      className={styles.one}
      aria-label={i18n._('Remove {name}', { name })}
      onClick={onRemove}
    >
      <Avatar id={id} name={name} size={20} />
      <bdi className={sheet.name}>{name}</bdi>
      <Icon of={X} />
    </button>
  )
}

interface ChoiceProps {
  person: Profile
  checked: boolean
  full: boolean
  onToggle: () => void
}

function Choice({ person, checked, full, onToggle }: ChoiceProps) {
  const member = useMember(person.id)
  const presence = usePresence(person.id)
  const status = useStatus(person.id)
  return (
    <label className={sheet.row}>
      <input type="checkbox" checked={checked} disabled={full && !checked} onChange={onToggle} />
      <Avatar id={person.id} name={person.name} size={24} />
      <bdi className={styles.name}>{person.name}</bdi>
      {status ? <bdi className={styles.status}>{statusLine(status)}</bdi> : null}
      {member?.role === 'guest' ? <span className={sheet.aside}>{roleWord(member)}</span> : null}
      <PresenceDot state={presence} label={presenceWord(presence)} />
    </label>
  )
}
