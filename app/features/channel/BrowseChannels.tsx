import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Channel } from '../../../wire/linnet.ts'
import { browseChannels, joinChannel } from '../../data/channelCommands.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { useAnswer } from '../../ui/useAnswer.ts'
import { useNotice } from '../../ui/notice.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { rank } from '../palette/rank.ts'
import styles from './BrowseChannels.module.css'

/** Every public channel: read one, or join it. */
export default function BrowseChannels({ onClose }: { onClose: () => void }) {
  const answer = useAnswer(browseChannels)
  const open = useOverlay()
  const [query, setQuery] = useState('')
  const all = answer?.ok ? answer.value : []
  const named = all.map((found) => ({ name: found.channel.name ?? '', found }))
  const found = rank(named, query)
  return (
    <Dialog title={i18n._('Browse channels')} place="high" onClose={onClose}>
      <div className={sheet.body}>
        <TextField
          label={i18n._('Search channels')}
          hideLabel
          placeholder={i18n._('Search channels')}
          type="search"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        {answer === null ? <Skeleton label={i18n._('Loading the channels')} shape="lines" rows={4} /> : null}
        {answer?.ok === false ? <p role="alert">{answer.failure.sentence}</p> : null}
        <ul className={sheet.list}>
          {found.map(({ found: { channel, members, member } }) => (
            <Row key={channel.id} channel={channel} members={members} member={member} onClose={onClose} />
          ))}
        </ul>
        {answer?.ok && found.length === 0 ? (
          <p className={sheet.soft}>{i18n._('No channel is called that. You can create it.')}</p>
        ) : null}
        <div className={sheet.foot}>
          <Button onClick={() => open({ kind: 'create-channel' })}>{i18n._('Create a channel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Row(props: { channel: Channel; members: number; member: boolean; onClose: () => void }) {
  const { channel, members, member, onClose } = props
  const [, navigate] = useLocation()
  const notice = useNotice()
  const [busy, setBusy] = useState(false)
  const name = channel.name ?? ''
  const go = () => {
    onClose()
    navigate(`/c/${channel.id}`)
  }
  const join = async () => {
    setBusy(true)
    const outcome = await joinChannel(channel.id)
    setBusy(false)
    if (outcome.ok) go()
    else notice({ words: outcome.failure.sentence })
  }
  return (
    <li className={sheet.row}>
      <Icon of={Hash} />
      <button type="button" className={styles.words} onClick={go}>
        <bdi className={styles.name}>{name}</bdi>
        {channel.topic ? <bdi className={styles.topic}>{channel.topic}</bdi> : null}
      </button>
      <span className={sheet.aside}>
        {i18n._('{members, plural, one {# person} other {# people}}', { members })}
      </span>
      {member ? (
        <Button look="quiet" onClick={go} aria-label={i18n._('Open {name}', { name })}>
          {i18n._('Open')}
        </Button>
      ) : (
        <Button busy={busy} onClick={() => void join()} aria-label={i18n._('Join {name}', { name })}>
          {i18n._('Join')}
        </Button>
      )}
    </li>
  )
}
