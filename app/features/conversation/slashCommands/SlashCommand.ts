import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import type { Overlay } from '../../parts/overlays/OverlayContext.ts'
import type { Me } from '../../parts/members/MeContext.ts'

/** The channel or thread whose composer a command is typed in. */
export interface ComposerContext {
  channel: ChannelWithPermissions
  threadRoot: string | null
  me: Me
}

export interface SlashCommandContext extends ComposerContext {
  /** What follows the name, trimmed, with the names of those whom it mentions. */
  text: string
  /** The same with references as in a stored message: `<@profile-id>`, `<#channel-id>`. */
  argument: string
  open: (overlay: Overlay) => void
  navigate: (path: string) => void
}

export type SlashCommandResult =
  /** The field is emptied. */
  | { kind: 'done' }
  /** The text (in the form of a stored message) is sent as a message, with the attached files. */
  | { kind: 'send'; text: string }
  /** The command returns to the field, before what was typed since; a toast shows the reason. */
  | { kind: 'rejected'; reason: string }

/** What a line that begins with "/" and a name runs. */
export interface SlashCommand {
  /** Lower-case letters, digits, "_" and "-". */
  name: string
  /** What can follow the name, in the reader's language, such as "person"; empty if nothing can. */
  hint: string
  /** What it does: a few words in the reader's language. */
  description: string
  /** The bot that serves it, isolated for text in both directions; absent for Linnet's own commands. */
  botName?: string
  /** Never throws. */
  run: (context: SlashCommandContext) => Promise<SlashCommandResult>
}

/** The commands of one origin that exist in a channel or thread, for a person with these permissions. */
export type SlashCommandSource = (composer: ComposerContext) => Promise<readonly SlashCommand[]>
