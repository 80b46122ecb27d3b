import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { RetentionPreview, RetentionScope } from '../../../../wire/retention.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { previewRetention, setRetention } from '../../../data/administration/retention.ts'
import { FormDialog } from '../../../ui/FormDialog.tsx'
import { formatDate } from '../../../ui/dates.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { TextField } from '../../../ui/TextField.tsx'

/** What a limit applies to, and the present one; null: forever. */
export interface RetentionTarget {
  scope: RetentionScope
  channel?: Uuid
  name: string
  days: number | null
  /** Whether the channel has a limit of its own, or its own "forever". */
  hasOwn?: boolean
}

interface Props {
  target: RetentionTarget
  onClose: () => void
}

type Keep = 'default' | 'forever' | 'days'

/** Changes a limit. One that deletes is previewed before it can be switched on. */
export function RetentionDialog({ target, onClose }: Props) {
  const [keep, setKeep] = useState<Keep>(
    target.days !== null || (target.scope === 'channel' && !target.hasOwn) ? 'days' : 'forever',
  )
  const [text, setText] = useState(String(target.days ?? 365))
  const [preview, setPreview] = useState<{ days: number; found: RetentionPreview } | null>(null)
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text.trim()) : 0
  const isValid = days >= 1 && days <= 3650
  const { scope, channel = null } = target
  const isPreviewed = keep !== 'days' || preview?.days === days
  const submit = async () => {
    if (isPreviewed) return setRetention({ scope, keep, keep_days: keep === 'days' ? days : null, channel })
    const found = await previewRetention({ scope, keep_days: days, channel })
    if (!found.ok) return found
    setPreview({ days, found: found.value })
    return null
  }
  return (
    <FormDialog
      title={i18n._('Limit: {name}', { name: target.name })}
      action={
        keep !== 'days'
          ? i18n._('Save')
          : isPreviewed
            ? i18n._('{days, plural, one {Delete after # day} other {Delete after # days}}', { days })
            : i18n._('Show what would be deleted')
      }
      run={submit}
      isDisabled={keep === 'days' && !isValid}
      fields={{ bad_retention: 'days' }}
      doneText={i18n._('Saved.')}
      onClose={onClose}
    >
      <RadioGroup<Keep>
        label={i18n._('Keep messages')}
        value={keep}
        options={[
          ...(target.hasOwn ? [{ value: 'default' as const, label: i18n._('Same as all channels') }] : []),
          { value: 'forever', label: i18n._('Forever') },
          { value: 'days', label: i18n._('For a number of days') },
        ]}
        onChange={setKeep}
      />
      {keep === 'days' ? (
        <TextField
          name="days"
          label={i18n._('Days')}
          inputMode="numeric"
          value={text}
          error={isValid || text.trim() === '' ? null : i18n._('Enter a number of days between 1 and 3,650.')}
          onChange={setText}
        />
      ) : null}
      <div role="status">
        {keep === 'days' && preview && isPreviewed ? <Preview found={preview.found} /> : null}
      </div>
    </FormDialog>
  )
}

function Preview({ found }: { found: RetentionPreview }) {
  if (found.messages === 0) return <p>{i18n._('No messages are that old yet.')}</p>
  const count = { count: found.messages }
  return (
    <div>
      <p>
        {found.more
          ? i18n._('More than {count} messages would be deleted today. Among the first {count}:', count)
          : i18n._(
              '{count, plural, one {# message would be deleted today.} other {# messages would be deleted today.}}',
              count,
            )}
      </p>
      <ul className={layout.stack}>
        {found.oldest ? (
          <li>{i18n._('The oldest is from {date}.', { date: formatDate(found.oldest) })}</li>
        ) : null}
        <li>
          {i18n._('{count, plural, one {In # conversation} other {In # conversations}}', {
            count: found.channels,
          })}
        </li>
        <li>
          {i18n._('{count, plural, one {# file, {size}} other {# files, {size}}}', {
            count: found.files,
            size: formatBytes(found.bytes),
          })}
        </li>
        <li>
          {i18n._('{count, plural, one {# pinned message} other {# pinned messages}}', {
            count: found.pinned,
          })}
        </li>
      </ul>
    </div>
  )
}
