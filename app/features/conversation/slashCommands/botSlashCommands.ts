import { isChannel } from '../../../../wire/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { invokeCommand, listAvailableCommands } from '../../../data/messages/botCommands.ts'
import type { ComposerContext, SlashCommand } from './SlashCommand.ts'

/** The commands of bots that are in this channel, and may read this thread. Rejects if they cannot be loaded. */
export async function botSlashCommands({ channel, threadRoot }: ComposerContext): Promise<SlashCommand[]> {
  if (!channel.canPost || !isChannel(channel)) return []
  const commands = await listAvailableCommands(channel.id, threadRoot)
  return commands.map(({ name, hint, description, bot }) => ({
    name,
    hint,
    description,
    botName: isolateBidi(bot.name),
    run: async ({ argument }) => {
      const outcome = await invokeCommand({ channel: channel.id, threadRoot, name, text: argument })
      return outcome.ok ? { kind: 'done' } : { kind: 'rejected', reason: outcome.failure.message }
    },
  }))
}
