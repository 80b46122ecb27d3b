import type { ChannelState } from '../../../wire/linnet.ts'

/** What is one's own in a channel and has no invariant: plain updates under a policy. */
export type Preferences = Pick<ChannelState, 'notify' | 'muted' | 'starred' | 'section_id' | 'position'>
