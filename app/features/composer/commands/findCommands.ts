import { builtInCommands } from './builtInCommands.ts'
import type { CommandPlace, CommandSource, SlashCommand } from './SlashCommand.ts'

/** Of two commands with the same name, that of the earlier source is used. */
const SOURCES: readonly CommandSource[] = [async (place) => builtInCommands(place)]

/** All commands that exist in a channel or thread, by name. A source that fails has none. */
export async function findCommands(place: CommandPlace): Promise<SlashCommand[]> {
  const found = await Promise.all(SOURCES.map((source) => source(place).catch(() => [])))
  const byName = new Map<string, SlashCommand>()
  for (const command of found.flat()) if (!byName.has(command.name)) byName.set(command.name, command)
  return [...byName.values()].sort((a, b) => a.name.localeCompare(b.name))
}
