import { i18n } from '@lingui/core'
import { useState, type KeyboardEvent } from 'react'
import { browseChannels } from '../../data/channels/channelCommands.ts'
import { Button } from '../../ui/Button.tsx'
import { Choice } from '../../ui/Choice.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { useAnswer } from '../../ui/useAnswer.ts'
import { useOverlay } from '../overlays/OverlayContext.ts'
import { useMe } from '../people/MeContext.ts'
import styles from './BrowseChannels.module.css'
import { BrowseRow } from './BrowseRow.tsx'
import { rankChannels, type Order, type Which } from './rankChannels.ts'

/** The channels one may read: those one is in, those one can join, and those that are over. */
export default function BrowseChannels({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const open = useOverlay()
  const guest = me.role === 'guest'
  const [turn, setTurn] = useState(0)
  const answer = useAnswer(browseChannels, turn)
  const [query, setQuery] = useState('')
  const [which, setWhich] = useState<Which>(guest ? 'mine' : 'all')
  const [order, setOrder] = useState<Order>('name')
  const all = answer?.ok ? answer.value : []
  const found = rankChannels(all, query, which, order)
  const kinds: { value: Which; label: string }[] = [
    { value: 'mine', label: i18n._('Your channels') },
    { value: 'archived', label: i18n._('Archived') },
  ]
  if (!guest) kinds.unshift({ value: 'all', label: i18n._('All') })
  return (
    <Dialog title={i18n._('Browse channels')} place="high" className={styles.browser} onClose={onClose}>
      <div className={sheet.body} role="presentation" onKeyDown={walk}>
        <TextField
          label={i18n._('Search channels')}
          hideLabel
          placeholder={i18n._('Search channels')}
          type="search"
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [only] = found
            if (event.key === 'Enter' && !event.nativeEvent.isComposing && query.trim() && only) {
              event.currentTarget.closest('dialog')?.querySelector<HTMLElement>('[data-open]')?.click()
            }
          }}
        />
        <div className={styles.sieve}>
          <Choice label={i18n._('Show')} hideLabel value={which} options={kinds} onChange={setWhich} />
          <label className={styles.order}>
            <span>{i18n._('Sort by')}</span>
            <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
              <option value="name">{i18n._('By name')}</option>
              <option value="people">{i18n._('Most members')}</option>
              <option value="new">{i18n._('Newest')}</option>
            </select>
          </label>
        </div>
        {answer === null ? <Skeleton label={i18n._('Loading the channels')} shape="lines" rows={6} /> : null}
        {answer?.ok === false ? (
          <div role="alert" className={styles.failed}>
            <p>{answer.failure.sentence}</p>
            <Button onClick={() => setTurn(turn + 1)}>{i18n._('Try again')}</Button>
          </div>
        ) : null}
        <ul className={`${sheet.list} ${styles.list}`} aria-label={i18n._('Channels')}>
          {found.map((one) => (
            <BrowseRow
              key={one.channel.id}
              found={one}
              onChanged={() => setTurn(turn + 1)}
              onClose={onClose}
            />
          ))}
        </ul>
        {answer?.ok && found.length === 0 ? (
          <p className={sheet.soft} role="status">
            {noneOf(which, query.trim() !== '', guest)}
          </p>
        ) : null}
        {guest ? null : (
          <div className={sheet.foot}>
            <Button
              onClick={() =>
                open({ kind: 'create-channel', ...(query.trim() ? { name: query.trim() } : {}) })
              }
            >
              {i18n._('Create a channel')}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

function noneOf(which: Which, asked: boolean, guest: boolean): string {
  if (asked && guest) return i18n._('None of your channels match.')
  if (asked) return i18n._('No channels match. You can create it.')
  if (which === 'archived') return i18n._('No archived channels. You can archive a channel in its settings.')
  if (guest) return i18n._('You are in no channel yet. Whoever invited you can add you.')
  if (which === 'mine') return i18n._('You are in no channel yet. Join one, or create it.')
  return i18n._('There is no channel yet. Create the first one.')
}

/** Arrow keys go from the field into the list and from row to row. */
function walk(event: KeyboardEvent<HTMLElement>) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const target = event.target as Element
  if (!by || target.matches('select, [type=radio]')) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-open]')]
  const at = rows.findIndex((row) => row.closest('li')?.contains(target))
  const field = event.currentTarget.querySelector<HTMLElement>('input[type=search]')
  const next = at < 0 && by < 0 ? null : (rows[at + by] ?? (at + by < 0 ? field : null))
  if (!next) return
  event.preventDefault()
  next.focus()
}
