import { channelLabel } from './actionContext.ts'
import type { ActionTable } from './actionContext.ts'

/** Actions on channels, and on the reader's own channel list. */
export const channelActions: ActionTable = {
  'sets a topic': {
    weight: 2,
    run: (context) => {
      const topic = `topic ${context.random.below(100)}`
      context.tab.runAndApply('update_channel', { channel: context.channel, topic })
      return `${context.tab.label} sets the topic of ${channelLabel(context)} to “${topic}”`
    },
  },
  renames: {
    weight: 1,
    run: (context) => {
      const name = `name ${context.random.below(5)}`
      context.tab.runAndApply('update_channel', { channel: context.channel, name })
      return `${context.tab.label} renames ${channelLabel(context)} to “${name}”`
    },
  },
  'sets who may post': {
    weight: 1,
    run: (context) => {
      const posting = context.random.happens(0.7) ? 'everyone' : 'admins'
      context.tab.runAndApply('update_channel', { channel: context.channel, posting })
      return `${context.tab.label} lets ${posting} post in ${channelLabel(context)}`
    },
  },
  stars: {
    weight: 2,
    run: async (context) => {
      const { tab, random, channel } = context
      const on = random.happens(0.5)
      const change = { starred: on, muted: !on }
      await tab.outbox.put({ kind: 'preferences', id: random.uuid(), channel, change })
      return `${tab.label} ${on ? 'stars' : 'mutes'} ${channelLabel(context)}`
    },
  },
  'sets a status': {
    weight: 1,
    run: ({ tab, random }) => {
      const text = `status ${random.below(100)}`
      tab.write('status', 'update public.profiles set status_text = $1 where id = $2', [text, tab.me()])
      return `${tab.label} sets the status “${text}”`
    },
  },
  'sets a title and a time zone': {
    weight: 0.5,
    run: ({ tab, random }) => {
      const title = `title ${random.below(100)}`
      const zone = random.happens(0.5) ? 'Asia/Tokyo' : null
      const change = 'update public.profiles set title = $1, time_zone = $2 where id = $3'
      tab.write('title', change, [title, zone, tab.me()])
      return `${tab.label} sets the title “${title}”`
    },
  },
  'makes a channel public or private': {
    weight: 1.5,
    run: (context) => {
      const { tab, random, channel } = context
      const kind = random.happens(0.5) ? 'public' : 'private'
      tab.runAndApply('update_channel', { channel, kind })
      return `${tab.label} makes ${channelLabel(context)} ${kind}`
    },
  },
  'describes a channel': {
    weight: 0.5,
    run: (context) => {
      const description = `for ${context.random.below(100)}`
      context.tab.runAndApply('update_channel', { channel: context.channel, description })
      return `${context.tab.label} describes ${channelLabel(context)} as “${description}”`
    },
  },
  archives: {
    weight: 1.5,
    run: (context) => {
      const { tab, random, channel, rows } = context
      // Restoring is more likely than archiving, or soon nobody could post anywhere.
      const on = rows?.entry.channel.archived_at === null ? random.happens(0.4) : false
      tab.runAndApply('archive_channel', { channel, on })
      return `${tab.label} ${on ? 'archives' : 'restores'} ${channelLabel(context)}`
    },
  },
  'creates a channel': {
    weight: 0.5,
    run: ({ simulation, tab, random }) => {
      const kind = random.happens(0.5) ? 'public' : 'private'
      const name = `made ${random.below(10_000)}`
      const { workspace } = simulation.database
      tab.runAndApply('create_channel', { id: random.uuid(), workspace, kind, name, posting: 'everyone' })
      return `${tab.label} creates the ${kind} channel “${name}”`
    },
  },
  'creates a section': {
    weight: 1,
    run: ({ simulation, tab, random }) => {
      const id = random.uuid()
      const name = `section ${random.below(20)}`
      tab.write(
        'create section',
        'insert into public.sections (id, workspace_id, name, position) values ($1, $2, $3, $4) on conflict do nothing',
        [id, simulation.database.workspace, name, random.below(100)],
      )
      return `${tab.label} creates the section “${name}”`
    },
  },
  'changes a section': {
    weight: 1.5,
    run: ({ tab, random }) => {
      const section = random.pick(tab.store.get().sections)
      if (!section) return null
      if (random.happens(0.3)) {
        tab.write('delete section', 'delete from public.sections where id = $1 and profile_id = $2', [
          section.id,
          tab.me(),
        ])
        return `${tab.label} deletes the section “${section.name}”`
      }
      const collapsed = random.happens(0.5)
      tab.write(
        'move section',
        'update public.sections set collapsed = $1, position = $2 where id = $3 and profile_id = $4',
        [collapsed, random.below(100), section.id, tab.me()],
      )
      return `${tab.label} moves the section “${section.name}”`
    },
  },
  'moves a channel to a section': {
    weight: 2,
    run: (context) => {
      const { tab, random, channel } = context
      const section = random.happens(0.8) ? random.pick(tab.store.get().sections) : undefined
      tab.write(
        'set section',
        'update public.channel_member_state set section_id = $1, position = $2 where channel_id = $3 and profile_id = $4',
        [section?.id ?? null, random.below(100), channel, tab.me()],
      )
      return `${tab.label} moves ${channelLabel(context)} to ${section ? `“${section.name}”` : 'no section'}`
    },
  },
}
