import { i18n } from '@lingui/core'
import Bookmark from 'lucide-react/icons/bookmark'
import Clock from 'lucide-react/icons/clock'
import SquarePen from 'lucide-react/icons/square-pen'
import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import type { Reminder } from '../../../../../wire/messages.ts'
import { useReminders } from '../../../../data/messages/reminders.ts'
import { useSavedMessages } from '../../../../data/messages/savedMessages.ts'
import { useScheduledMessages } from '../../../../data/messages/scheduledMessages.ts'
import { useDevicePreference } from '../../../../data/hooks/useDevicePreference.ts'
import { useDrafts } from '../../../../data/messages/useDrafts.ts'
import { isOwnerOrAdmin } from '../../../../data/workspaces/workspacePermissions.ts'
import { usePage } from '../../../../ui/pageAddress.ts'
import { useToast } from '../../../../ui/toast.ts'
import { PHONE, useMedia } from '../../../../ui/useMedia.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { CountRow } from './CountRow.tsx'

const TaskRows = lazyComponent(() => import('./TaskRows.tsx'))

/**
 * The user's drafts, scheduled and saved messages with their numbers, and what waits for admins. The first three rows are always
 * there, so that no row moves while the user writes, sends later or saves. A phone has no sidebar beside a conversation, and its
 * page You always lists the three: its sidebar has only rows that contain something. The drafts of the open conversation and
 * thread are not counted: their fields are visible.
 */
export default function PersonalRows() {
  const hasTasks = isOwnerOrAdmin(useMe())
  const [taskRows, setTaskRows] = useState<number | null>(null)
  const isPhone = useMedia(PHONE)
  // Later only the menu of the workspace has them: the sidebar of a group has its conversations.
  const open = new Set(Object.values(usePage()?.params ?? {}))
  const drafts = [...useDrafts().keys()].filter((key) => !open.has(key)).length
  const saved = [...useSavedMessages().values()].filter((item) => item.state === 'saved').length
  const draftsLabel = i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts })
  const scheduled = useScheduledMessages()
  const failed = scheduled.filter((one) => one.problem !== null).length
  const scheduledLabel = i18n._(
    '{scheduled, plural, one {# scheduled message} other {# scheduled messages}}',
    { scheduled: scheduled.length },
  )
  const failedLabel = i18n._('{failed, plural, one {# message not sent} other {# messages not sent}}', {
    failed,
  })
  const reminders = useReminders()
  const due = reminders.filter((one) => one.reminded_at !== null)
  useDueToast(due)
  const dueLabel = i18n._('{due, plural, one {# reminder due} other {# reminders due}}', { due: due.length })
  const savedLabel = i18n._('{saved, plural, one {# saved message} other {# saved messages}}', { saved })
  const hasDrafts = !isPhone || drafts > 0
  const hasScheduled = !isPhone || scheduled.length > 0
  const hasSaved = !isPhone || saved > 0 || reminders.length > 0
  useStoredRows([hasDrafts, hasScheduled, hasSaved].filter(Boolean).length, hasTasks ? taskRows : 0)
  return (
    <>
      {hasDrafts ? (
        <CountRow page="drafts" icon={SquarePen} name={i18n._('Drafts')} count={drafts} label={draftsLabel} />
      ) : null}
      {hasScheduled ? (
        <CountRow
          page="scheduled"
          icon={Clock}
          name={i18n._('Scheduled')}
          count={failed || scheduled.length}
          label={failed > 0 ? failedLabel : scheduledLabel}
          isAlert={failed > 0}
        />
      ) : null}
      {hasSaved ? (
        <CountRow
          page="saved"
          icon={Bookmark}
          name={i18n._('Saved')}
          count={due.length || saved}
          label={due.length > 0 ? dueLabel : savedLabel}
          isAlert={due.length > 0}
        />
      ) : null}
      {hasTasks ? (
        <Suspense>
          <TaskRows onKnown={setTaskRows} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Shows what becomes due while the page is open; the badge shows what was due before. */
function useDueToast(due: readonly Reminder[]) {
  const showToast = useToast()
  const known = useRef<ReadonlySet<string> | null>(null)
  const keyOf = (one: Reminder) => `${one.id} ${one.reminded_at}`
  const show = useEffectEvent((keys: string) => {
    const before = known.current
    known.current = new Set(keys.split(','))
    const added = before && due.filter((one) => !before.has(keyOf(one)))
    if (!added?.[0]) return
    showToast({
      text: added[0].text
        ? i18n._('Reminder: {text}', { text: added[0].text })
        : i18n._('A reminder of a message is due.'),
      action: { label: i18n._('Open'), run: () => navigate(pathTo('saved')) },
    })
  })
  const keys = due.map(keyOf).join(',')
  useEffect(() => show(keys), [keys])
}

/** Stores the number of rows, so that the sidebar keeps their place when it loads again. `tasks`: null until it is known. */
function useStoredRows(own: number, tasks: number | null) {
  const [stored, store] = useDevicePreference('personalRows')
  const rows = tasks === null ? stored : own + tasks
  useEffect(() => {
    if (rows !== stored) store(rows)
  })
}
