import type { ChannelRows } from '../../../app/data/store/state.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Member } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Tab } from '../types.ts'
import type { Random } from '../../support/random.ts'
import type { Simulation } from '../simulation.ts'

/** What an action gets: a tab, its open conversation, and a random generator of its own. */
export interface ActionContext {
  simulation: Simulation
  tab: Tab
  random: Random
  /** The open conversation, else any that the tab has. */
  channel: Uuid
  rows: ChannelRows | undefined
  /** Its text messages in the tab that are not deleted. */
  live: Message[]
  people: Member[]
}

/** Does one thing and returns its description, or null where there was nothing to do it to. */
type Action = (context: ActionContext) => Promise<string | null> | string | null

/** Actions by name, each with its relative frequency. */
export type ActionTable = Record<string, { weight: number; run: Action }>

export function createActionContext(simulation: Simulation, tab: Tab, random: Random): ActionContext {
  const state = tab.store.get()
  const channel =
    tab.opened?.channel ?? random.pick([...state.channels.keys()]) ?? simulation.database.channels.lobby
  const rows = state.channels.get(channel)
  const texts = rows ? [...rows.messages.values()].filter((one) => one.kind === 'text') : []
  const live = texts.filter((one) => one.deleted_at === null)
  return { simulation, tab, random, channel, rows, live, people: [...state.members.values()] }
}

/** A short name of a channel, for descriptions. */
export function channelLabel({ rows, channel }: Pick<ActionContext, 'rows' | 'channel'>): string {
  return rows?.entry.channel.name ?? `${rows?.entry.channel.kind ?? 'channel'} ${channel.slice(0, 4)}`
}
