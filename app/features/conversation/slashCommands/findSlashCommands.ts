import { botSlashCommands } from './botSlashCommands.ts'
import { builtInSlashCommands } from './builtInSlashCommands.ts'
import type { ComposerContext, SlashCommandSource, SlashCommand } from './SlashCommand.ts'

/** Of two commands with the same name, that of the earlier source is used. */
const SOURCES: readonly SlashCommandSource[] = [
  async (composer) => builtInSlashCommands(composer),
  botSlashCommands,
]

/**
 * All commands that exist in a channel or thread, by name. A source that fails has none. `onFound` gets those that are
 * known so far: others may have to be loaded.
 */
export async function findSlashCommands(
  composer: ComposerContext,
  onFound: (commands: readonly SlashCommand[]) => void = () => {},
): Promise<SlashCommand[]> {
  const found: (readonly SlashCommand[])[] = SOURCES.map(() => [])
  const merged = () => {
    const byName = new Map<string, SlashCommand>()
    for (const command of found.flat()) if (!byName.has(command.name)) byName.set(command.name, command)
    return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name))
  }
  const find = async (source: SlashCommandSource, index: number) => {
    found[index] = await source(composer).catch(() => [])
    if (found[index].length > 0) onFound(merged())
  }
  await Promise.all(SOURCES.map(find))
  return merged()
}

/**
 * The command of this name, or null. Later sources are used only if earlier ones have none. Rejects if one of them could
 * not be loaded: the command may exist.
 */
export async function findSlashCommand(
  composer: ComposerContext,
  name: string,
): Promise<SlashCommand | null> {
  for (const source of SOURCES) {
    const command = (await source(composer)).find((one) => one.name === name)
    if (command) return command
  }
  return null
}
