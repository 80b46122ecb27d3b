import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { useMembers } from '../../../data/people/people.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { rank } from '../../parts/matching/rank.ts'
import styles from './NamedMatches.module.css'
import type { QueryContext } from './parseQuery.ts'

const MAX_SHOWN = 4

/** Channels and people whose names match the words of a search. */
export function NamedMatches({ text, context }: { text: string; context: QueryContext }) {
  const members = useMembers()
  const open = useOverlay()
  const active = members.flatMap(({ profile, state }) => (state === 'active' ? profile : []))
  const people = rank(active, text).slice(0, MAX_SHOWN)
  const named = context.conversations.filter(({ kind }) => kind === 'public' || kind === 'private')
  const channels = rank(named, text).slice(0, MAX_SHOWN)
  if (people.length + channels.length === 0) return null
  return (
    <section className={styles.matches} aria-label={i18n._('Channels and people')}>
      {channels.map(({ id, name, kind }) => (
        <Link key={id} href={pathTo('channel', { channelId: id })} className={styles.match}>
          <Icon
            of={kind === 'private' ? Lock : Hash}
            {...(kind === 'private' ? { label: i18n._('private') } : {})}
          />
          <bdi>{name}</bdi>
        </Link>
      ))}
      {people.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          className={styles.match}
          aria-haspopup="dialog"
          onClick={(event) => open({ kind: 'person', id, anchor: event.currentTarget })}
        >
          <Avatar id={id} name={name} size={20} />
          <bdi>{name}</bdi>
        </button>
      ))}
    </section>
  )
}
