import { i18n } from '@lingui/core'
import { useCallback, useState } from 'react'
import { readAccount } from '../../../data/account/ownAccount.ts'
import { readWays } from '../../../data/account/signInMethods.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAnswer } from '../../../ui/useAnswer.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { PHONE, useMedia } from '../../../ui/useMedia.ts'
import { PaneHead } from '../../conversation/PaneHead.tsx'
import styles from '../SettingsPane.module.css'
import { Address } from './Address.tsx'
import { Connections } from './Connections.tsx'
import { Factors } from './Factors.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { Sessions } from './Sessions.tsx'

/** One's address and password, second steps, keys, connected accounts, and where one is signed in. */
export default function SecurityPane({ onClose }: { onClose: () => void }) {
  const [turn, setTurn] = useState(0)
  const account = useAnswer(readAccount, turn)
  const ways = useAnswer(readWays)
  const again = useCallback(() => setTurn((before) => before + 1), [])
  const phone = useMedia(PHONE)
  const late = useDelayed(!account || !ways)
  return (
    <section className={styles.settings} aria-label={i18n._('Account and security')}>
      <PaneHead title={i18n._('Account and security')} back="/settings">
        {phone ? null : (
          <Button look="quiet" onClick={onClose}>
            {i18n._('All settings')}
          </Button>
        )}
      </PaneHead>
      <div className={styles.scroller}>
        <div className={styles.column}>
          {account?.ok && ways?.ok ? (
            <>
              <Address account={account.value} onChanged={again} />
              <Password account={account.value} onChanged={again} />
              <Factors account={account.value} phone={ways.value.phone} onChanged={again} />
              {ways.value.passkeys ? <Passkeys /> : null}
              {ways.value.providers.length ? (
                <Connections account={account.value} providers={ways.value.providers} onChanged={again} />
              ) : null}
              <Sessions key={turn} />
            </>
          ) : account?.ok === false || ways?.ok === false ? (
            <>
              <p>
                {account?.ok === false
                  ? account.failure.sentence
                  : ways?.ok === false
                    ? ways.failure.sentence
                    : ''}
              </p>
              <div>
                <Button onClick={() => location.reload()}>{i18n._('Try again')}</Button>
              </div>
            </>
          ) : late ? (
            <Skeleton label={i18n._('Loading your account')} />
          ) : null}
        </div>
      </div>
    </section>
  )
}
