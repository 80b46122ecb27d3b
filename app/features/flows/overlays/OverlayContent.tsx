import type { ComponentType } from 'react'
import type { Overlay, TypedAhead } from '../../parts/overlays/OverlayContext.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { composerOverlays } from '../../conversation/composer/overlays.ts'
import { editHistoryOverlays } from '../../conversation/message/overlays.ts'
import { reactionOverlays } from '../../conversation/reactions/overlays.ts'
import { channelOverlays } from '../channels/overlays.ts'
import { directMessageOverlays } from '../directMessages/overlays.ts'
import { fileOverlays } from '../files/overlays.ts'
import { firstStepsOverlays } from '../firstSteps/overlays.ts'
import { jumpToDateOverlays } from '../jumpToDate/overlays.ts'
import { messageOverlays } from '../messages/overlays.ts'
import { moderationOverlays } from '../moderation/overlays.ts'
import { paletteOverlays } from '../palette/overlays.ts'
import { peopleOverlays } from '../people/overlays.ts'
import { reminderOverlays } from '../reminders/overlays.ts'
import { shortcutOverlays } from '../shortcuts/overlays.ts'
import { sidebarOverlays } from '../sidebar/overlays.ts'
import { signOutOverlays } from '../signOut/overlays.ts'
import { workspaceOverlays } from '../workspaces/overlays.ts'

interface Props {
  overlay: Overlay
  /** The text that was typed while the overlay loaded. */
  typed: TypedAhead
  onClose: () => void
}

type Loader = () => Promise<{ default: ComponentType<Omit<Props, 'overlay'>> }>

/** The overlays of each directory that has some. */
const overlays = {
  ...composerOverlays,
  ...editHistoryOverlays,
  ...reactionOverlays,
  ...channelOverlays,
  ...directMessageOverlays,
  ...fileOverlays,
  ...firstStepsOverlays,
  ...jumpToDateOverlays,
  ...messageOverlays,
  ...moderationOverlays,
  ...paletteOverlays,
  ...peopleOverlays,
  ...reminderOverlays,
  ...shortcutOverlays,
  ...sidebarOverlays,
  ...signOutOverlays,
  ...workspaceOverlays,
}

type Added = typeof overlays
declare module '../../parts/overlays/OverlayContext.ts' {
  interface Overlays extends Added {}
}

const components = Object.fromEntries(
  Object.entries(overlays).map(([kind, load]) => [kind, lazyComponent(load as Loader)]),
)

/** Loads the overlays that must open at once, or without a network. */
export async function preloadOverlays(): Promise<void> {
  await Promise.all([overlays.palette(), overlays['sign-out']()])
}

/** Renders an overlay by its kind. The code of a kind is loaded when it is first opened. */
export default function OverlayContent({ overlay: { kind, ...props }, typed, onClose }: Props) {
  const Component = components[kind]
  return Component ? <Component {...props} typed={typed} onClose={onClose} /> : null
}
