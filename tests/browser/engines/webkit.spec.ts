import { testJourneys } from './journeys.ts'
import { launchWebKit } from './launchWebKit.ts'

testJourneys('WebKit', launchWebKit)
