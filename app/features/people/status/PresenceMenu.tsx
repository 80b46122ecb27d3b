import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import { usePresence, useSaid, useStatus } from '../../../data/people/people.ts'
import { setPresence, setStatus } from '../../../data/people/profile.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import Menu, { type MenuItem } from '../../../ui/Menu.tsx'
import { useNotice } from '../../../ui/notice.ts'
import { PresenceDot } from '../../../ui/PresenceDot.tsx'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { useMe } from '../MeContext.ts'
import { presenceWord } from '../presenceWord.ts'
import { statusLine } from '../StatusMark.tsx'
import { endOf, type Span } from './statusChoices.ts'
import { untilWord } from './untilWord.ts'

interface Props {
  anchor: HTMLElement
  onClose: () => void
  /** Without the ways to status and settings, where these stand beside it. */
  bare?: boolean
}

/** What one says of oneself: here, away, not to be disturbed and how long; and one's status. */
export default function PresenceMenu({ anchor, onClose, bare = false }: Props) {
  const { profile } = useMe()
  const open = useOverlay()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const status = useStatus(profile.id)
  const said = useSaid(profile.id)
  const presence = usePresence(profile.id)
  const tell = async (asked: Promise<Outcome>) => {
    const outcome = await asked
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  const quiet = (label: string, span: Span): MenuItem => ({
    label,
    icon: <PresenceDot state="dnd" label="" />,
    onSelect: () => void tell(setPresence('dnd', endOf(span))),
  })
  const items: MenuItem[] = [
    {
      label: presenceWord('active'),
      icon: <PresenceDot state="active" label="" />,
      checked: said === 'auto',
      onSelect: () => void tell(setPresence('auto')),
    },
    {
      label: presenceWord('away'),
      icon: <PresenceDot state="away" label="" />,
      checked: said === 'away',
      onSelect: () => void tell(setPresence('away')),
    },
    {
      label: presenceWord('dnd'),
      icon: <PresenceDot state="dnd" label="" />,
      checked: said === 'dnd',
      hint: said === 'dnd' ? untilWord(profile.presence_until) : i18n._('until I change it'),
      onSelect: () => void tell(setPresence('dnd')),
    },
    quiet(i18n._('Do not disturb for 30 minutes'), 'half'),
    quiet(i18n._('Do not disturb for 1 hour'), 'hour'),
    quiet(i18n._('Do not disturb until tomorrow'), 'morning'),
  ]
  if (!bare) {
    items.push({
      label: status ? i18n._('Change status') : i18n._('Set a status'),
      ...(status ? { hint: statusLine(status) } : {}),
      apart: true,
      onSelect: () => open({ kind: 'status' }),
    })
    if (status) items.push({ label: i18n._('Clear status'), onSelect: () => void tell(setStatus(null)) })
    items.push({
      label: i18n._('View profile'),
      apart: true,
      onSelect: () => open({ kind: 'person', id: profile.id, anchor }),
    })
    items.push({ label: i18n._('Settings'), onSelect: () => navigate('/settings') })
  }
  return (
    <Menu
      label={i18n._('You: {presence}', { presence: presenceWord(presence) })}
      items={items}
      anchor={anchor}
      onClose={onClose}
    />
  )
}
