import { i18n } from '@lingui/core'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { usePresence, usePresenceChoice, useStatus } from '../../../../data/people/people.ts'
import { setPresence, setStatus } from '../../../../data/people/profile.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import Menu, { type MenuItem } from '../../../../ui/Menu.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { PresenceDot } from '../../../../ui/PresenceDot.tsx'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { presenceLabel } from '../../../parts/members/presenceLabel.ts'
import { statusText } from '../../../parts/members/StatusEmoji.tsx'
import { endOf, type Span } from './durations.ts'
import { expiryText } from './expiryText.ts'
import { statusActionLabel } from './statusActionLabel.ts'

interface Props {
  anchor: HTMLElement
  onClose: () => void
  /** Without the items for status and settings, where these are shown beside it. */
  bare?: boolean
}

/** The user's own presence (active, away, do not disturb, and how long) and status. */
export default function PresenceMenu({ anchor, onClose, bare = false }: Props) {
  const { profile } = useMe()
  const open = useOverlay()
  const showToast = useToast()
  const status = useStatus(profile.id)
  const manualPresence = usePresenceChoice(profile.id)
  const presence = usePresence(profile.id)
  const report = async (result: Promise<Outcome>) => {
    const outcome = await result
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const dndItem = (label: string, span: Span): MenuItem => ({
    label,
    icon: <PresenceDot state="dnd" label="" />,
    onSelect: () => void report(setPresence('dnd', endOf(span))),
  })
  const items: MenuItem[] = [
    {
      label: presenceLabel('active'),
      icon: <PresenceDot state="active" label="" />,
      checked: manualPresence === 'auto',
      onSelect: () => void report(setPresence('auto')),
    },
    {
      label: presenceLabel('away'),
      icon: <PresenceDot state="away" label="" />,
      checked: manualPresence === 'away',
      onSelect: () => void report(setPresence('away')),
    },
    {
      label: presenceLabel('dnd'),
      icon: <PresenceDot state="dnd" label="" />,
      checked: manualPresence === 'dnd',
      hint: manualPresence === 'dnd' ? expiryText(profile.presence_until) : i18n._('until I change it'),
      onSelect: () => void report(setPresence('dnd')),
    },
    dndItem(i18n._('Do not disturb for 30 minutes'), 'half'),
    dndItem(i18n._('Do not disturb for 1 hour'), 'hour'),
    dndItem(i18n._('Do not disturb until tomorrow'), 'morning'),
  ]
  if (!bare) {
    items.push({
      label: statusActionLabel(status !== null),
      ...(status ? { hint: statusText(status) } : {}),
      separated: true,
      onSelect: () => open({ kind: 'status' }),
    })
    if (status) items.push({ label: i18n._('Clear status'), onSelect: () => void report(setStatus(null)) })
    items.push({
      label: i18n._('View profile'),
      separated: true,
      onSelect: () => open({ kind: 'person', id: profile.id, anchor }),
    })
    items.push({ label: i18n._('Settings'), onSelect: () => navigate(pathTo('settings')) })
  }
  return (
    <Menu
      label={i18n._('You: {presence}', { presence: presenceLabel(presence) })}
      items={items}
      anchor={anchor}
      onClose={onClose}
    />
  )
}
