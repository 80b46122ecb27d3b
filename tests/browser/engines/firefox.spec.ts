import { testJourneys } from './journeys.ts'
import { launchFirefox } from './launchFirefox.ts'

testJourneys('Firefox', launchFirefox)
