import type { Heartbeat, Bootstrap } from '../../../wire/sync.ts'
import type { ThreadState } from '../../../wire/threads.ts'
import type { ChannelPage, Message } from '../../../wire/messages.ts'
import type { ChannelEntry } from '../../../wire/channels.ts'
import type { Profile } from '../../../wire/people.ts'

/** Rows for tests: each function builds one with default values, overridden by `change`. */
export const ME = '00000000-0000-4000-8000-00000000000a'
export const OTHER = '00000000-0000-4000-8000-00000000000b'
export const WORKSPACE = '30000000-0000-4000-8000-000000000001'
export const LOBBY = '10000000-0000-4000-8000-000000000001'

export function buildProfile(id: string, name: string): Profile {
  return {
    id,
    kind: 'person',
    name,
    avatar: null,
    status_emoji: null,
    status_text: null,
    status_expires_at: null,
    presence: 'auto',
    presence_until: null,
    title: null,
    time_zone: null,
    pronouns: null,
  }
}

export function buildMessage(seq: number, change: Partial<Message> = {}): Message {
  return {
    id: `20000000-0000-4000-8000-${String(seq).padStart(12, '0')}`,
    channel_id: LOBBY,
    kind: 'text',
    seq,
    thread_root: null,
    thread_seq: null,
    last_thread_seq: 0,
    reply_count: 0,
    reply_people: [],
    last_reply_at: null,
    history_seq: seq,
    rev: seq,
    author_id: OTHER,
    body: `message ${seq}`,
    system: null,
    created_at: new Date(1_700_000_000_000 + seq * 1000).toISOString(),
    edited_at: null,
    deleted_at: null,
    pinned_at: null,
    attachments: [],
    extras: null,
    reactions: [],
    ...change,
  }
}

export function buildChannelEntry(change: Partial<ChannelEntry> = {}): ChannelEntry {
  return {
    channel: {
      id: LOBBY,
      workspace_id: WORKSPACE,
      kind: 'public',
      name: 'front desk',
      topic: '',
      description: '',
      posting: 'everyone',
      archived_at: null,
      first_seq: 1,
      web_since: null,
      web_files: false,
      slow_seconds: 0,
      created_by: ME,
      created_at: '2026-01-01T00:00:00Z',
      people: null,
    },
    counters: { last_seq: 10, rev: 10, meta_rev: 1, epoch: 1 },
    member: true,
    channel_role: 'member',
    history_from_seq: 1,
    state: {
      last_read_seq: 10,
      read_version: 1,
      notify: 'default',
      muted: false,
      starred: false,
      section_id: null,
      position: null,
      rev: 1,
    },
    counts: { unread: 0, mentions: 0 },
    last_message_at: null,
    ...change,
  }
}

export function buildBootstrap(entries: ChannelEntry[], change: Partial<Bootstrap> = {}): Bootstrap {
  const profile = buildProfile(ME, 'Ann')
  const workspace = { id: WORKSPACE, name: 'Harbour Street' }
  return {
    now: '2026-01-01T00:00:00Z',
    me: { profile, role: 'owner', email: 'ann@harbour.example' },
    workspace,
    workspaces: [workspace],
    members: [
      { profile, role: 'owner', state: 'active' },
      { profile: buildProfile(OTHER, 'Bea'), role: 'member', state: 'active' },
    ],
    channels: entries,
    threads: [],
    sections: [],
    own: {},
    workspace_counters: { rev: 4, epoch: 1 },
    max_topics: 30,
    paused_workspaces: null,
    threads_since: null,
    digests: {},
    ...change,
  }
}

export function buildHeartbeat(entries: ChannelEntry[], change: Partial<Heartbeat> = {}): Heartbeat {
  return {
    now: '2026-01-01T00:00:00Z',
    presence: { complete: false, changes: [] },
    people: [],
    channels: entries,
    threads: [],
    sections: [],
    own: {},
    workspace_counters: null,
    digests: {},
    ...change,
  }
}

/** A page of consecutive messages. */
export function buildPage(from: number, to: number, change: Partial<ChannelPage> = {}): ChannelPage {
  const messages = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) =>
    buildMessage(from + index),
  )
  return { channel_id: LOBBY, messages, has_before: from > 1, has_after: false, epoch: 1, rev: to, ...change }
}

/** A followed thread under the lobby's third message: five replies, two of them unread. */
export function buildThread(change: Partial<ThreadState> = {}): ThreadState {
  return {
    channel_id: LOBBY,
    root_id: buildMessage(3).id,
    follows: true,
    last_read_thread_seq: 3,
    read_version: 2,
    last_thread_seq: 5,
    last_reply_at: '2026-01-01T00:00:00Z',
    rev: 10,
    counts: { unread: 2, mentions: 0 },
    ...change,
  }
}
