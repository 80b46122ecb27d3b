import type { Integration } from './integrations.ts'
import type { Timestamp, Uuid } from './scalars.ts'

/** The slash commands of the application, whose names bots cannot register (`app.check_bot_command`). */
export const BUILT_IN_COMMANDS = [
  'date',
  'dm',
  'invite',
  'leave',
  'me',
  'msg',
  'mute',
  'poll',
  'remind',
  'shortcuts',
  'shrug',
  'status',
  'topic',
] as const

/** A job that failed (`failed_at`) or is repeated. */
export interface Delivery {
  id: Uuid
  created_at: Timestamp
  attempts: number
  error: string
  failed_at: Timestamp | null
}

/** A slash command of a bot, as managers of the workspace see it. */
export interface BotCommand extends Integration {
  id: Uuid
  /** Unique in the workspace: a letter, then up to 31 of a-z, 0-9, "-" and "_". */
  name: string
  /** 1–100 characters. */
  description: string
  /** What can follow the name, at most 60 characters; empty if nothing can. */
  hint: string
  /** Where invocations are sent; null: to the bot's own topic, as the event `command`. */
  url: string | null
  enabled: boolean
  created_by: Uuid | null
  created_at: Timestamp
  /** The last 20 that failed, newest first. */
  deliveries: Delivery[]
}

/** A slash command of a bot as those see it who can use it. */
export interface AvailableCommand {
  name: string
  description: string
  hint: string
  bot: { id: Uuid; name: string }
}

/** Why a command failed: its server did not respond in 3 s, could not be reached, or responded with an error. */
export type CommandProblem = 'timeout' | 'unreachable' | 'error' | 'bad_response' | 'refused' | 'paused'

/** What only the caller of a command sees, for a day; at most 20. The row of an invocation has its id. */
export interface CommandResponse {
  id: Uuid
  channel_id: Uuid
  thread_root: Uuid | null
  bot_id: Uuid
  /** The name of the command. */
  command: string
  /** What followed the name. */
  text: string
  state: 'pending' | 'shown' | 'failed'
  /** Of a failed one. */
  problem: CommandProblem | null
  /** Markdown; null unless it is shown. */
  body: string | null
  created_at: Timestamp
  rev: number
}
