import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import Undo2 from 'lucide-react/icons/undo-2'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import {
  saveMessage,
  useSavedMessages,
  type SavedItem,
  type SavedState,
} from '../../data/messages/savedMessages.ts'
import { useReminders } from '../../data/messages/reminders.ts'
import { ReferencedMessage } from '../../features/conversation/message/extras/ReferencedMessage.tsx'
import { ReminderList } from '../../features/flows/reminders/ReminderList.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useFilters } from '../../features/parts/lists/useFilters.ts'
import { GrowingList } from '../../ui/GrowingList.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import rows from '../../ui/listRow.module.css'
import { Tabs } from '../../ui/Tabs.tsx'
import { useToast } from '../../ui/toast.ts'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { ListPage } from '../../shell/ListPage.tsx'

/** The page with the messages that the user has saved for later, the latest first. */
export default function SavedPage() {
  const hasDue = useReminders().some((one) => one.reminded_at !== null)
  // Completing the last one that is due does not change the tab.
  const [first] = useState(() => (hasDue ? 'reminders' : 'saved'))
  const { values, change } = useFilters({ show: [first, 'saved', 'done', 'reminders'] })
  const state = values.show
  const isTouch = useMedia(TOUCH)
  const items = [...useSavedMessages().values()]
    .filter((item) => item.state === state)
    .sort((a, b) => b.saved_at.localeCompare(a.saved_at))
  return (
    <ListPage title={i18n._('Saved')} list={`saved ${state}`}>
      <Tabs
        label={i18n._('Saved')}
        value={state}
        tabs={[
          { value: 'saved', label: i18n._('To do') },
          { value: 'done', label: i18n._('Done') },
          { value: 'reminders', label: i18n._('Reminders') },
        ]}
        onChange={(show) => change({ show })}
      >
        {state === 'reminders' ? (
          <ReminderList />
        ) : items.length > 0 ? (
          <GrowingList
            label={i18n._('Saved')}
            className={undefined}
            items={items}
            selection={state}
            render={(item) => <Item key={item.id} item={item} />}
          />
        ) : (
          <EmptyState
            title={state === 'saved' ? i18n._('No saved messages') : i18n._('Nothing done yet')}
            text={
              state === 'saved'
                ? isTouch
                  ? i18n._('Choose “Save for later” in the menu of a message. Only you can see this list.')
                  : i18n._(
                      'Choose “Save for later” in the menu of a message, or press A on it. Only you can see this list.',
                    )
                : i18n._('Messages that you mark as done show up here.')
            }
          />
        )}
      </Tabs>
    </ListPage>
  )
}

function Item({ item }: { item: SavedItem }) {
  const showToast = useToast()
  const change = (next: SavedState | null, done?: string) =>
    void saveMessage(item, next).then((outcome) => {
      if (!outcome.ok) return showToast({ text: outcome.failure.message })
      if (!done) return undefined
      return showToast({
        text: done,
        action: { label: i18n._('Undo'), run: () => void saveMessage(item, item.state) },
      })
    })
  return (
    <li className={rows.row} data-entry tabIndex={-1}>
      <div className={rows.content}>
        <ReferencedMessage id={item.id} kind="quote" />
      </div>
      {item.state === 'saved' ? (
        <IconButton
          label={i18n._('Mark as done')}
          icon={<Icon of={Check} />}
          onClick={() => change('done', i18n._('Marked as done.'))}
        />
      ) : (
        <IconButton
          label={i18n._('Move back to “To do”')}
          icon={<Icon of={Undo2} />}
          onClick={() => change('saved')}
        />
      )}
      <IconButton
        label={i18n._('Remove from saved')}
        icon={<Icon of={X} />}
        onClick={() => change(null, i18n._('No longer saved.'))}
      />
    </li>
  )
}
