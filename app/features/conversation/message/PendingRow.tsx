import { i18n } from '@lingui/core'
import { Suspense, useCallback, useState } from 'react'
import { cx } from '../../../ui/cx.ts'
import { Avatar } from '../../parts/members/avatar/Avatar.tsx'
import { useLongPress } from '../../../ui/useLongPress.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import { CollapsibleBody } from '../../parts/body/CollapsibleBody.tsx'
import { LinkCards } from './extras/LinkCards.tsx'
import { MessageExtras } from './extras/MessageExtras.tsx'
import { MessageHeader } from './lines/MessageHeader.tsx'
import type { OpenMenu } from './menu/MessageMenu.tsx'
import { hasOwnMenu } from './MessageRow.tsx'
import type { PendingProps } from './usePendingActions.ts'
import rowStyles from './MessageRow.module.css'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

// Rarely needed: most messages are sent.
const SendError = lazyComponent(() => import('./SendError.tsx'), { preload: true })
const PendingFiles = lazyComponent(() => import('../../parts/files/uploads/PendingFiles.tsx'), {
  preload: true,
})

const WaitingLine = lazyComponent(() => import('./WaitingLine.tsx'), { preload: true })
const PendingMenu = lazyComponent(() => import('./PendingMenu.tsx'), { preload: true })

interface Props extends PendingProps {
  isFirstOfRun: boolean
}

/** A message that is not sent yet. It looks sent for 300 ms, then it is gray; later a line states its progress. */
export function PendingRow({ isFirstOfRun, ...props }: Props) {
  const { message, onRestore } = props
  const { profile } = useMe()
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const press = useLongPress((at, anchor) => setMenu({ at, anchor }), hasOwnMenu)
  const closeMenu = useCallback(() => setMenu(null), [])
  // Files show their own progress.
  const areFilesUploaded = message.files.every((file) => file.uploaded)
  const isPending = message.state === 'pending' && areFilesUploaded
  return (
    <article
      className={cx(rowStyles.row, isFirstOfRun && rowStyles.head, isPending && rowStyles.pending)}
      tabIndex={-1}
      aria-label={
        message.state === 'failed'
          ? i18n._('{name}, not sent', { name: profile.name })
          : i18n._('{name}, sending', { name: profile.name })
      }
      {...press}
    >
      {isFirstOfRun ? (
        <Avatar id={profile.id} name={profile.name} className={rowStyles.avatar} />
      ) : (
        <div className={rowStyles.aside} />
      )}
      <div className={rowStyles.content}>
        {isFirstOfRun ? (
          <MessageHeader id={profile.id} name={profile.name} at={message.createdAt} tabStop={false} />
        ) : null}
        <MessageExtras position="above" message={null} extras={message.extras} mayReact={false} />
        {message.body ? <CollapsibleBody id={message.id} body={message.body} startsExpanded /> : null}
        <LinkCards body={message.body} />
        <MessageExtras position="below" message={null} extras={message.extras} mayReact={false} />
        <Suspense>
          {message.files.length ? <PendingFiles message={message} onRestore={onRestore} /> : null}
        </Suspense>
        {/* Apart, so that the files stay visible until it is loaded. */}
        <Suspense>
          {message.state === 'failed' ? <SendError {...props} /> : null}
          {isPending ? (
            <WaitingLine isMenuOpen={menu !== null} onMenu={(anchor) => setMenu({ anchor })} />
          ) : null}
          {menu ? <PendingMenu {...props} menu={menu} onClose={closeMenu} /> : null}
        </Suspense>
      </div>
    </article>
  )
}
