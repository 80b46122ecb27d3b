import { i18n } from '@lingui/core'
import type { ReactNode } from 'react'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../data/people/people.ts'
import { Link } from '../../../ui/Link.tsx'
import { placeText, unreadableText, type PlaceKind } from '../channels/placeText.ts'
import { useChannelPlace } from '../channels/useChannelPlace.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import type { OwnAddress } from './cardLinks.ts'
import styles from './Mention.module.css'

interface LinkProps {
  path: string
  /** The address, shown until a name is known. */
  children: ReactNode
}

/** A link to a page of this app that has no text of its own, with the name of what it leads to. */
export default function NamedLink({ page, path, children }: OwnAddress & LinkProps) {
  switch (page.name) {
    case 'person':
      return <PersonLink path={path} id={page.params.personId} />
    case 'channel':
    case 'message':
    case 'thread':
    case 'file':
      return (
        <PlaceLink path={path} kind={page.name} channelId={page.params.channelId}>
          {children}
        </PlaceLink>
      )
    default:
      return <Link href={path}>{children}</Link>
  }
}

/** A channel, or what is in it. A channel that the reader may not read and one that does not exist look the same. */
function PlaceLink({ kind, channelId, path, children }: LinkProps & { kind: PlaceKind; channelId: string }) {
  const place = useChannelPlace(channelId)
  if (place === undefined) return <Link href={path}>{children}</Link>
  if (place === null) return <span className={styles.unreadable}>{unreadableText(kind)}</span>
  const { title, elsewhere } = place
  const text = placeText(kind, title)
  return (
    <Link href={path} className={styles.group}>
      {elsewhere === null
        ? text
        : i18n._('{text} in the workspace {workspace}', { text, workspace: isolateBidi(elsewhere) })}
    </Link>
  )
}

function PersonLink({ id, path }: Omit<LinkProps, 'children'> & { id: string }) {
  const open = useOverlay()
  const profile = useProfile(id)
  if (!profile) return <span className={styles.unreadable}>{i18n._('A person you can’t see')}</span>
  return (
    <Link
      href={path}
      className={styles.group}
      aria-haspopup="dialog"
      onClick={(event) => {
        event.preventDefault()
        open({ kind: 'person', id, anchor: event.currentTarget })
      }}
    >
      <bdi>@{profile.name}</bdi>
    </Link>
  )
}
