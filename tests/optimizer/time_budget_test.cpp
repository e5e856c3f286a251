#include "optimizer/time_budget.h"

#include <gtest/gtest.h>

namespace geak::optimizer {
namespace {

TEST(TimeBudget, WhatIsDueHasItsTime) {
  TimeBudget budget(1000);
  EXPECT_NEAR(budget.left_for_looks(0), 1000, 1);
  budget.took_judgement(100);
  EXPECT_NEAR(budget.left_for_looks(0), 1000, 1);
  EXPECT_NEAR(budget.left_for_looks(1), 900, 1);
  EXPECT_NEAR(budget.left_for_looks(3), 700, 1);
  EXPECT_NEAR(budget.left_for_looks(9), 500, 1) << "half of it is for looks";
  budget.took_judgement(800);
  budget.took_judgement(10);
  EXPECT_NEAR(budget.left_for_looks(9), 200, 1) << "the longest counts, and one fits anyway";
}

TEST(TimeBudget, BatchesAreCutToWhatFits) {
  TimeBudget budget(1000);
  EXPECT_EQ(budget.looks_that_fit(0, 12), 12u) << "nothing is known yet";
  budget.took_look(99);
  EXPECT_EQ(budget.looks_that_fit(0, 12), 10u);
  EXPECT_EQ(budget.looks_that_fit(0, 4), 4u);
  budget.took_judgement(950);
  EXPECT_EQ(budget.looks_that_fit(1, 12), 1u) << "never none";
}

TEST(TimeBudget, TheFirstJudgementIsNeverLate) {
  TimeBudget budget(0);
  EXPECT_TRUE(budget.is_over());
  EXPECT_FALSE(budget.is_late());
  budget.took_judgement(1);
  EXPECT_TRUE(budget.is_late());
}

}  // namespace
}  // namespace geak::optimizer
