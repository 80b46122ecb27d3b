import type { ChannelEntry, Commands, InvitationView, Uuid } from '../../wire/linnet.ts'
import type { Outcome } from './failures.ts'

type Args<N extends keyof Commands> = Commands[N]['args']
type Answer<N extends keyof Commands> = Commands[N]['answer']

/** The bearer of the set-up token founds the workspace and becomes its owner; then the session is ready. */
export declare function foundWorkspace(
  args: Args<'found_workspace'>,
): Promise<Outcome<Answer<'found_workspace'>>>
/** What an invitation opens; works signed out. */
export declare function viewInvitation(token: string): Promise<Outcome<InvitationView>>
export declare function acceptInvitation(
  args: Args<'accept_invitation'>,
): Promise<Outcome<Answer<'accept_invitation'>>>

export interface InvitationWish {
  role: 'admin' | 'member' | 'guest'
  channels: Uuid[]
  maxUses?: number
  /** Hours until it expires, 1–720. */
  hours?: number
}
/** A link for many: `<origin>/join#<token>`; the token is shown once. */
export declare function createInvitation(wish: InvitationWish): Promise<Outcome<{ id: Uuid; link: string }>>
/** An invitation for one address, mailed by the backend with a sign-in link. `link` works too. */
export declare function mailInvitation(
  email: string,
  wish: InvitationWish,
): Promise<Outcome<{ id: Uuid; link: string }>>
export declare function revokeInvitation(id: Uuid): Promise<Outcome>

export declare function createChannel(wish: {
  kind: 'public' | 'private'
  name: string
  topic?: string
}): Promise<Outcome<ChannelEntry>>
/** The one conversation of these people and oneself; no people: one's notebook. */
export declare function openDirect(people: Uuid[]): Promise<Outcome<ChannelEntry>>
export declare function joinChannel(channel: Uuid): Promise<Outcome<ChannelEntry>>
export declare function leaveChannel(channel: Uuid): Promise<Outcome>
export declare function addMembers(channel: Uuid, people: Uuid[]): Promise<Outcome>
export declare function removeMember(channel: Uuid, person: Uuid): Promise<Outcome>
export declare function updateChannel(
  channel: Uuid,
  change: { name?: string; topic?: string; posting?: 'everyone' | 'admins' },
): Promise<Outcome<ChannelEntry>>
/** Public channels of the workspace, joined or not. */
export declare function browseChannels(): Promise<Outcome<Answer<'browse_channels'>['channels']>>
export declare function channelPeople(channel: Uuid): Promise<Outcome<Answer<'channel_people'>['people']>>
export declare function deactivateMember(person: Uuid): Promise<Outcome>
/** One's own name and status (a plain update under a policy). */
export declare function updateProfile(change: {
  name?: string
  status_emoji?: string | null
  status_text?: string | null
}): Promise<Outcome>
