import { i18n } from '@lingui/core'
import ArrowRight from 'lucide-react/icons/arrow-right'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import Users from 'lucide-react/icons/users'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useSidebar, type SidebarItem } from '../../data/channels.ts'
import { useMembers } from '../../data/people.ts'
import { openDirect } from '../../data/workspace.ts'
import { cx } from '../../ui/cx.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { Face } from '../../ui/Face.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { useNotice } from '../../ui/notice.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { useMe } from '../people/MeContext.ts'
import styles from './Palette.module.css'
import { rank } from './rank.ts'

interface Choice {
  key: string
  name: string
  hint?: string | null
  sign: ReactNode
  go: () => void
}

/** One field that goes anywhere: type a few letters, Enter. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const choices = rank(useChoices(onClose), query).slice(0, 30)
  const chosen = Math.min(at, choices.length - 1)

  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  return (
    <Dialog title={i18n._('Find anything')} bare place="high" onClose={onClose}>
      <input
        className={styles.field}
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        aria-activedescendant={choices.length ? `${listId}-${chosen}` : undefined}
        aria-label={i18n._('Find anything')}
        placeholder={i18n._('A channel, a person, a command')}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
          if (step && choices.length) {
            event.preventDefault()
            setAt((chosen + step + choices.length) % choices.length)
          }
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) choices[chosen]?.go()
        }}
      />
      <div ref={list} id={listId} role="listbox" aria-label={i18n._('Found')} className={styles.list}>
        {choices.map((choice, index) => (
          <div
            key={choice.key}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={cx(styles.choice, index === chosen && styles.at)}
            onPointerMove={() => setAt(index)}
            onClick={choice.go}
          >
            <span className={styles.sign}>{choice.sign}</span>
            <bdi className={styles.name}>{choice.name}</bdi>
            {choice.hint ? <bdi className={styles.hint}>{choice.hint}</bdi> : null}
          </div>
        ))}
      </div>
      {choices.length === 0 ? (
        <p className={styles.none} role="status">
          {i18n._('Nothing here is called that. Try fewer letters.')}
        </p>
      ) : null}
    </Dialog>
  )
}

/** Conversations first, then people one has none with, then commands. */
function useChoices(onClose: () => void): Choice[] {
  const { channels, directs } = useSidebar()
  const members = useMembers()
  const me = useMe()
  const open = useOverlay()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const leadingTo = (path: string) => () => {
    onClose()
    navigate(path)
  }
  const known = new Set(directs.filter((item) => item.people.length === 1).map((item) => item.people[0]?.id))
  const writeTo = async (id: string) => {
    onClose()
    const outcome = await openDirect([id])
    if (outcome.ok) navigate(`/c/${outcome.value.channel.id}`)
    else notice({ words: outcome.failure.sentence })
  }
  const commands: [string, () => void][] = [[i18n._('Settings'), leadingTo('/settings')]]
  commands.push([i18n._('Keyboard'), () => open({ kind: 'keys' })])
  if (me.role !== 'guest') {
    commands.unshift(
      [i18n._('Create a channel'), () => open({ kind: 'create-channel' })],
      [i18n._('Browse channels'), () => open({ kind: 'browse-channels' })],
      [i18n._('Invite people'), () => open({ kind: 'invite' })],
    )
  }
  return [
    ...[...directs, ...channels].map((item) => ({
      key: item.id,
      name: item.name,
      sign: <Sign item={item} />,
      go: leadingTo(`/c/${item.id}`),
    })),
    ...members
      .filter(
        ({ profile, state }) => state === 'active' && profile.id !== me.profile.id && !known.has(profile.id),
      )
      .map(({ profile }) => ({
        key: profile.id,
        name: profile.name,
        hint: profile.status_text,
        sign: <Face id={profile.id} name={profile.name} size={20} />,
        go: () => void writeTo(profile.id),
      })),
    ...commands.map(([name, go]) => ({ key: name, name, sign: <Icon of={ArrowRight} />, go })),
  ]
}

function Sign({ item }: { item: SidebarItem }) {
  const [person] = item.people
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} />
  if (item.kind === 'group' || !person) return <Icon of={Users} />
  return <Face id={person.id} name={person.name} size={20} />
}
