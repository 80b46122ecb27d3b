import { i18n } from '@lingui/core'
import Trash from 'lucide-react/icons/trash-2'
import { Link } from '../../ui/Link.tsx'
import { conversationPath } from '../../paths.ts'
import { useChannel } from '../../data/channels/channels.ts'
import { discardDraft, restoreDraft } from '../../data/messages/draftChanges.ts'
import type { ShownDraft } from '../../data/messages/draftFields.ts'
import { useDrafts } from '../../data/messages/useDrafts.ts'
import { cx } from '../../ui/cx.ts'
import { formatDateTime, formatDayAndTime } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import rows from '../../ui/listRow.module.css'
import { useToast } from '../../ui/toast.ts'
import { plainText } from '../../features/parts/body/plainText.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListPage } from '../../shell/ListPage.tsx'
import pageStyles from '../../shell/ListPage.module.css'
import styles from './DraftsPage.module.css'

/** The number of characters of a draft that are shown. */
const EXCERPT_CHARACTERS = 300

/** The page with the user's unsent drafts of all conversations and threads, the latest first. */
export default function DraftsPage() {
  const drafts = [...useDrafts().values()].sort((a, b) => b.changed_at.localeCompare(a.changed_at))
  return (
    <ListPage title={i18n._('Drafts')}>
      {drafts.length > 0 ? (
        <>
          <p className={pageStyles.note}>
            {i18n._(
              'Drafts sync to all your devices. Attached files don’t: they stay in the tab where you added them until you close or reload it.',
            )}
          </p>
          <ul>
            {drafts.map((draft) => (
              <DraftItem key={draft.id} draft={draft} />
            ))}
          </ul>
        </>
      ) : (
        <EmptyState
          title={i18n._('No drafts')}
          text={i18n._('Messages you’ve started but not sent appear here, on all your devices.')}
        />
      )}
    </ListPage>
  )
}

function DraftItem({ draft }: { draft: ShownDraft }) {
  const showToast = useToast()
  const channel = useChannel(draft.channel_id)
  // The user has left it, or lost access.
  if (typeof channel === 'string') return null
  const name = titleOf(channel)
  const place = draft.thread_root === null ? name : i18n._('Thread in {channel}', { channel: name })
  function discard() {
    discardDraft(draft)
    showToast({
      text: i18n._('Draft discarded.'),
      action: { label: i18n._('Undo'), run: () => restoreDraft(draft) },
    })
  }
  return (
    <li className={cx(rows.row, styles.item)}>
      <Link href={conversationPath(draft.channel_id, draft.thread_root)} className={styles.link} data-entry>
        <span className={rows.head}>
          <bdi className={rows.place}>{place}</bdi>
          <time className={rows.time} dateTime={draft.changed_at} title={formatDateTime(draft.changed_at)}>
            {formatDayAndTime(draft.changed_at)}
          </time>
        </span>
        <span className={rows.excerpt} dir="auto">
          {plainText(draft.body).slice(0, EXCERPT_CHARACTERS) || i18n._('A quote without text')}
        </span>
      </Link>
      <IconButton
        label={i18n._('Discard the draft in {place}', { place })}
        icon={<Icon of={Trash} />}
        onClick={discard}
      />
    </li>
  )
}
