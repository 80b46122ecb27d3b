import type { ChannelState } from '../../../wire/linnet.ts'

/** Own settings of a channel without invariants: updated directly under a policy. */
export type Preferences = Pick<ChannelState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>
