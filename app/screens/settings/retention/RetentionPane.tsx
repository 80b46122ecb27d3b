import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Retention, RetentionRule } from '../../../../wire/retention.ts'
import { saveBlob } from '../../../data/files/download/saveFile.ts'
import { useSidebar } from '../../../data/channels/channels.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { exportReceipts, receiptList, retentionSettings } from '../../../data/administration/retention.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { titleOf } from '../../../features/parts/channels/titleOf.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { useToast } from '../../../ui/toast.ts'
import { useAction } from '../../../ui/useAction.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import paneStyles from '../SettingsPane.module.css'
import listStyles from '../SettingsList.module.css'
import { ChooseChannel } from './ChooseChannel.tsx'
import { RetentionDialog, type RetentionTarget } from './RetentionDialog.tsx'

/** How long messages are kept, and receipts of what was deleted. */
export default function RetentionPane() {
  const { role } = useMe()
  return (
    <PaneFrame
      hint={i18n._(
        'Older messages and their files are permanently deleted for everyone, including pinned and saved ones. A new limit takes effect after seven days, so you can change your mind.',
      )}
    >
      {role === 'owner' ? null : <p className="note">{i18n._('Only owners can change these limits.')}</p>}
      <QueryContent query={useQuery(retentionSettings)} loading={i18n._('Loading your settings')}>
        {(retention) => <Rules retention={retention} />}
      </QueryContent>
    </PaneFrame>
  )
}

function Rules({ retention }: { retention: Retention }) {
  const { role } = useMe()
  const [open, setOpen] = useState<RetentionTarget | 'choose' | null>(null)
  const change = (target: RetentionTarget) =>
    role === 'owner' ? (
      <Button onClick={() => setOpen(target)} aria-label={i18n._('Change: {name}', { name: target.name })}>
        {i18n._('Change')}
      </Button>
    ) : null
  const channelsName = i18n._('All channels')
  const conversationsName = i18n._('Direct and group messages')
  return (
    <>
      <SettingsSection
        title={channelsName}
        hint={i18n._('Public and private, unless a channel has its own limit.')}
      >
        <div className={paneStyles.line}>
          <p className={paneStyles.text}>{ruleSentence(retention.channels)}</p>
          {change({ scope: 'channels', name: channelsName, days: retention.channels?.keep_days ?? null })}
        </div>
      </SettingsSection>
      <SettingsSection title={conversationsName}>
        <div className={paneStyles.line}>
          <p className={paneStyles.text}>{ruleSentence(retention.conversations)}</p>
          {change({
            scope: 'conversations',
            name: conversationsName,
            days: retention.conversations?.keep_days ?? null,
          })}
        </div>
      </SettingsSection>
      <SettingsSection title={i18n._('Channels with their own limit')}>
        {retention.own.length ? (
          <ul className={listStyles.list}>
            {retention.own.map((rule) => (
              <li key={rule.channel_id} className={listStyles.row}>
                <div className={listStyles.details}>
                  <bdi>{rule.name}</bdi>
                  <p className="note">{ruleSentence(rule)}</p>
                </div>
                {change({
                  scope: 'channel',
                  channel: rule.channel_id,
                  name: rule.name,
                  days: rule.keep_days,
                  hasOwn: true,
                })}
              </li>
            ))}
          </ul>
        ) : (
          <p className="muted">{i18n._('No channel has its own limit.')}</p>
        )}
        {role === 'owner' ? (
          <div>
            <Button onClick={() => setOpen('choose')}>{i18n._('Set a limit for one channel')}</Button>
          </div>
        ) : null}
      </SettingsSection>
      <Receipts retention={retention} />
      {open === 'choose' ? (
        <ChooseChannel
          onChoose={({ id, name }) => {
            const rule = retention.own.find(({ channel_id }) => channel_id === id)
            setOpen({
              scope: 'channel',
              channel: id,
              name,
              days: rule?.keep_days ?? null,
              hasOwn: rule !== undefined,
            })
          }}
          onClose={() => setOpen(null)}
        />
      ) : open ? (
        <RetentionDialog target={open} onClose={() => setOpen(null)} />
      ) : null}
    </>
  )
}

function ruleSentence(rule: RetentionRule | null): string {
  if (rule?.keep_days == null) return i18n._('Messages are kept forever.')
  const days = rule.keep_days
  if (Date.parse(rule.starts_at) > Date.now()) {
    return i18n._(
      '{days, plural, one {Messages will be deleted after # day, from {start} on.} other {Messages will be deleted after # days, from {start} on.}}',
      { days, start: formatDateTime(rule.starts_at) },
    )
  }
  return i18n._(
    '{days, plural, one {Messages are deleted after # day.} other {Messages are deleted after # days.}}',
    { days },
  )
}

function Receipts({ retention }: { retention: Retention }) {
  const showToast = useToast()
  const action = useAction()
  const download = async () => {
    const exported = await action.run(exportReceipts)
    if (!exported) return
    const { text, brokenLine } = exported.value
    await saveBlob(new Blob([text], { type: 'text/plain' }), 'retention-receipts.txt')
    showToast({
      text:
        brokenLine === null
          ? i18n._('Receipts downloaded. Their chain is intact.')
          : i18n._('Receipts downloaded. Line {line} was changed, removed or inserted.', {
              line: brokenLine,
            }),
    })
  }
  return (
    <SettingsSection
      title={i18n._('Deletion receipts')}
      hint={i18n._(
        'What was deleted, when and by which limit, without any content. Each receipt contains the hash of the previous one, so later changes can be detected.',
      )}
    >
      {retention.receipts ? (
        <>
          <p>
            {i18n._('{count, plural, one {# receipt} other {# receipts}}', { count: retention.receipts })}
          </p>
          <p className="note" style={{ overflowWrap: 'anywhere' }}>
            {i18n._('Last hash: {hash}', { hash: retention.last_hash ?? '' })}
          </p>
          {action.failure ? <p role="alert">{action.failure}</p> : null}
          <div>
            <Button busy={action.busy} onClick={() => void download()}>
              {i18n._('Download receipts')}
            </Button>
          </div>
          <ReceiptList count={retention.receipts} />
        </>
      ) : (
        <p className="muted">{i18n._('Nothing has been deleted yet.')}</p>
      )}
    </SettingsSection>
  )
}

/** The receipts, newest first. @param count the number of the last one */
function ReceiptList({ count }: { count: number }) {
  const { channels } = useSidebar()
  return (
    <PagedList
      label={i18n._('Deletion receipts')}
      className={listStyles.list}
      pages={usePagedQuery(receiptList, [count])}
      empty={i18n._('Nothing has been deleted yet.')}
      render={(receipt) => {
        const channel = channels.find(({ id }) => id === receipt.channel_id)
        return (
          <li key={receipt.number} className={listStyles.row}>
            <div className={listStyles.details}>
              <p>
                {[
                  i18n._('{count, plural, one {# message} other {# messages}}', { count: receipt.messages }),
                  receipt.files
                    ? i18n._('{count, plural, one {# file, {size}} other {# files, {size}}}', {
                        count: receipt.files,
                        size: formatBytes(receipt.bytes),
                      })
                    : null,
                  channel ? isolateBidi(titleOf(channel)) : null,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
              <p className="note">
                {i18n._('Receipt {number}, {time}. Limit: {days, plural, one {# day} other {# days}}.', {
                  number: receipt.number,
                  time: formatDayAndTime(receipt.deleted_at),
                  days: receipt.keep_days,
                })}
              </p>
            </div>
          </li>
        )
      }}
    />
  )
}
