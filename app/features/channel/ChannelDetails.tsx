import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../wire/linnet.ts'
import { useChannel, type ChannelView } from '../../data/channels.ts'
import { useMembers } from '../../data/people.ts'
import { addMembers, leaveChannel, updateChannel } from '../../data/channelCommands.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Face } from '../../ui/Face.tsx'
import { Form } from '../../ui/Form.tsx'
import { useNotice } from '../../ui/notice.ts'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { useMe } from '../people/MeContext.ts'
import { PeoplePicker } from '../people/PeoplePicker.tsx'
import { useChannelPeople } from './useChannelPeople.ts'

/** Who is in a channel, what it is for, and the way out of it. */
interface DetailsProps {
  channelId: string
  part?: 'about' | 'people' | 'settings' | undefined
  onClose: () => void
}

export default function ChannelDetails({ channelId, onClose }: DetailsProps) {
  const channel = useChannel(channelId)
  const [part, setPart] = useState<'people' | 'add' | 'change'>('people')
  if (typeof channel === 'string') return null
  const toPeople = () => setPart('people')
  return (
    <Dialog title={titleOf(part, channel.name)} onClose={onClose}>
      {part === 'people' ? (
        <People
          channel={channel}
          onAdd={() => setPart('add')}
          onChange={() => setPart('change')}
          onClose={onClose}
        />
      ) : null}
      {part === 'add' ? <AddPeople channel={channel} onEnd={toPeople} /> : null}
      {part === 'change' ? <ChangeChannel channel={channel} onEnd={toPeople} /> : null}
    </Dialog>
  )
}

function titleOf(part: 'people' | 'add' | 'change', name: string): string {
  if (part === 'add') return i18n._('Add people to {name}', { name })
  if (part === 'change') return i18n._('Name and topic')
  return name
}

interface PeopleProps {
  channel: ChannelView
  onAdd: () => void
  onChange: () => void
  onClose: () => void
}

function People({ channel, onAdd, onChange, onClose }: PeopleProps) {
  const { entry } = channel
  const me = useMe()
  const notice = useNotice()
  const [, navigate] = useLocation()
  const people = useChannelPeople(channel.id, entry.counters.meta_rev)
  const members = useMembers()
  const isChannel = channel.kind === 'public' || channel.kind === 'private'
  const named = (people ?? []).map((person) => ({
    id: person.profile_id,
    leads: person.role === 'admin',
    name:
      members.find((one) => one.profile.id === person.profile_id)?.profile.name ?? i18n._('Former member'),
  }))
  const leave = async () => {
    const outcome = await leaveChannel(channel.id)
    if (!outcome.ok) return notice({ words: outcome.failure.sentence })
    onClose()
    navigate('/')
  }
  return (
    <div className={sheet.body}>
      {entry.channel.topic ? (
        <p className={sheet.soft} dir="auto">
          {entry.channel.topic}
        </p>
      ) : null}
      <ul className={sheet.list} aria-label={i18n._('People')}>
        {named.map((person) => (
          <li key={person.id} className={sheet.row}>
            <Face id={person.id} name={person.name} size={24} />
            <bdi className={sheet.name}>{person.name}</bdi>
            {person.leads ? <span className={sheet.aside}>{i18n._('Leads the channel')}</span> : null}
          </li>
        ))}
      </ul>
      {channel.member && isChannel ? (
        <div className={sheet.foot}>
          <Button look="quiet" onClick={() => void leave()}>
            {i18n._('Leave channel')}
          </Button>
          {entry.channel_role === 'admin' ? (
            <Button onClick={onChange}>{i18n._('Name and topic')}</Button>
          ) : null}
          {me.role === 'guest' ? null : (
            <Button look="primary" onClick={onAdd}>
              {i18n._('Add people')}
            </Button>
          )}
        </div>
      ) : null}
    </div>
  )
}

function AddPeople({ channel, onEnd }: { channel: ChannelView; onEnd: () => void }) {
  const inside = useChannelPeople(channel.id, channel.entry.counters.meta_rev)
  const within = new Set(inside?.map((person) => person.profile_id))
  const others = useMembers()
    .filter(({ profile, state }) => state === 'active' && !within.has(profile.id))
    .map((member) => member.profile)
  const [chosen, setChosen] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const add = async () => {
    if (chosen.length === 0 || busy) return
    setBusy(true)
    const outcome = await addMembers(channel.id, chosen)
    setBusy(false)
    if (outcome.ok) onEnd()
    else setFailure(outcome.failure.sentence)
  }
  return (
    <div className={sheet.body}>
      <Form onSubmit={() => void add()} failure={failure}>
        {inside && others.length === 0 ? (
          <p className={sheet.soft}>{i18n._('Everyone is here already.')}</p>
        ) : (
          <PeoplePicker people={others} chosen={chosen} most={100} onChange={setChosen} />
        )}
        <div className={sheet.foot}>
          <Button look="quiet" onClick={onEnd}>
            {i18n._('Cancel')}
          </Button>
          <Button type="submit" look="primary" busy={busy} disabled={chosen.length === 0}>
            {i18n._('Add')}
          </Button>
        </div>
      </Form>
    </div>
  )
}

function ChangeChannel({ channel, onEnd }: { channel: ChannelView; onEnd: () => void }) {
  const [name, setName] = useState(channel.entry.channel.name ?? '')
  const [topic, setTopic] = useState(channel.entry.channel.topic)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const save = async () => {
    if (!name.trim() || busy) return
    setBusy(true)
    const outcome = await updateChannel(channel.id, { name: name.trim(), topic: topic.trim() })
    setBusy(false)
    if (outcome.ok) onEnd()
    else setFailure(outcome.failure.sentence)
  }
  return (
    <div className={sheet.body}>
      <Form onSubmit={() => void save()} failure={failure}>
        <TextField
          label={i18n._('Channel name')}
          value={name}
          maxLength={LIMITS.channelNameCharacters}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={i18n._('Topic')}
          value={topic}
          maxLength={LIMITS.topicCharacters}
          onChange={(event) => setTopic(event.currentTarget.value)}
        />
        <div className={sheet.foot}>
          <Button look="quiet" onClick={onEnd}>
            {i18n._('Cancel')}
          </Button>
          <Button type="submit" look="primary" busy={busy} disabled={!name.trim()}>
            {i18n._('Save')}
          </Button>
        </div>
      </Form>
    </div>
  )
}
